//! Clients that draw from a sequence: no value comes after a greater one was told, not after a crash either.

use std::rc::Rc;
use std::sync::Arc;

use aio::BackendKind;
use catalog::PUBLIC;
use engine::{Backend, Result, Sequence, SequenceDef, Transaction};
use storage::RelationId;

use crate::clients::World;
use crate::table::{DATABASE, OWNER};

const NAME: &str = "numbers";

/// Makes the sequence.
pub async fn create(t: &mut Transaction) -> Result<()> {
    let oid = t.db.new_oid();
    let id = RelationId { database: DATABASE, file: oid };
    t.create_files(id)?;
    Sequence::create(&t.db, &t.backend.io, id, 1, false).await?;
    t.alter_sequence(DATABASE, None, SequenceDef::new(oid, (PUBLIC, NAME), OWNER));
    Ok(())
}

/// A client that draws, one value after the other.
pub async fn run(world: Rc<World>) {
    let backend = world.backend(BackendKind::Client);
    while !world.is_over() {
        world.pause(400).await;
        match draw(&world, &backend).await {
            Err(error) if !world.faulty.get() && world.db.failure().is_none() => {
                world.object(format!("drawing: {} {error}", error.code));
            }
            _ => {}
        }
    }
    world.clients.set(world.clients.get() - 1);
}

/// Draws some values, and tells of them when they are durable.
async fn draw(world: &World, backend: &Arc<Backend>) -> Result<()> {
    let catalog = world.db.catalog();
    let def = catalog.database_by_oid(DATABASE).and_then(|database| database.sequence("public", NAME));
    let sequence = Sequence::open(&world.db, &backend.io, DATABASE, def.expect("it was made with the tables")).await?;
    for _ in 0..world.random.below(30) {
        let told = world.told.get();
        let (value, _) = sequence.next()?;
        if value <= told {
            world.object(format!("{value} was drawn, and {told} had been told"));
        }
        world.db.log().flush_to(&backend.io, sequence.lsn()).await?;
        world.told.set(world.told.get().max(value));
    }
    Ok(())
}
