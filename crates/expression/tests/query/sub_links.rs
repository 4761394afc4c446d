//! Subqueries get plans as the planner would give them: what they take from the row becomes parameters.

use analyze::query::*;

/// The subqueries of a statement, and how many parameters they have.
#[derive(Default)]
pub struct Plans {
    pub queries: Vec<Query>,
    pub parameters: u32,
}

impl Plans {
    fn parameter(&mut self, ty: TypeRef) -> Param {
        self.parameters += 1;
        Param { kind: ParamKind::Exec, number: self.parameters - 1, ty, location: Location::NONE }
    }

    /// Puts a [`SubPlan`] in the place of each [`SubLink`] of an expression.
    pub fn plan(&mut self, expr: &mut Expr) {
        let link = match expr {
            Expr::SubLink(link) => link,
            _ => return expr.mutate(&mut |child| self.plan(child), &mut |_| {}),
        };
        let mut link = (**link).clone();
        let mut taken = Vec::new();
        self.take_from_query(&mut link.query, 1, &mut taken);
        let mut columns = Vec::new();
        if let Some(test) = &mut link.test {
            self.plan(test);
            self.columns_of_test(test, &mut columns);
        }
        columns.sort();
        let columns: Vec<u32> = columns.into_iter().map(|(_, number)| number).collect();
        self.queries.push(link.query);
        *expr = Expr::SubPlan(Box::new(SubPlan {
            hashed: link.kind == SubLinkKind::Any && taken.is_empty(),
            kind: link.kind,
            test: link.test,
            columns,
            plan: self.queries.len() - 1,
            name: format!("SubPlan {}", self.queries.len()),
            result: link.result,
            set_parameters: Vec::new(),
            startup_cost: 0.0,
            per_call_cost: 0.0,
            alternative: None,
            parameters: taken.iter().map(|(param, _)| param.number).collect(),
            arguments: taken.into_iter().map(|(_, var)| Expr::Var(Var { levels_up: 0, ..var })).collect(),
        }));
    }

    /// The subquery's columns in its test are parameters too.
    fn columns_of_test(&mut self, test: &mut Expr, columns: &mut Vec<(u32, u32)>) {
        if let Expr::Param(param) = test
            && param.kind == ParamKind::SubLink
        {
            let column = param.number;
            *param = self.parameter(param.ty);
            columns.push((column, param.number));
        }
        test.mutate(&mut |child| self.columns_of_test(child, columns), &mut |_| {});
    }

    fn take_from_query(&mut self, query: &mut Query, depth: u32, taken: &mut Vec<(Param, Var)>) {
        let this = std::cell::RefCell::new((self, taken));
        mutate_query(
            query,
            &mut |expr| {
                let (this, taken) = &mut *this.borrow_mut();
                this.take(expr, depth, taken)
            },
            &mut |query| {
                let (this, taken) = &mut *this.borrow_mut();
                this.take_from_query(query, depth + 1, taken)
            },
        );
    }

    /// A column of the query around becomes a parameter.
    fn take(&mut self, expr: &mut Expr, depth: u32, taken: &mut Vec<(Param, Var)>) {
        if let Expr::Var(var) = expr
            && var.levels_up == depth
        {
            let param = self.parameter(var.ty);
            taken.push((param, *var));
            *expr = Expr::Param(param);
            return;
        }
        let this = std::cell::RefCell::new((self, taken));
        expr.mutate(
            &mut |child| {
                let (this, taken) = &mut *this.borrow_mut();
                this.take(child, depth, taken)
            },
            &mut |query| {
                let (this, taken) = &mut *this.borrow_mut();
                this.take_from_query(query, depth + 1, taken)
            },
        );
    }
}
