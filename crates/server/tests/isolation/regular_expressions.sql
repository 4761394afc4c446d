# Back references: case, and where a search ends that they have failed
a> select 'aA' ~ '(?i)(a)\1', 'aA' ~* '(a)\1', 'aA' ~ '(a)\1', 'abAB' ~* '^(ab)\1$', 'abAb' ~ '^(ab)\1$', 'äÄ' ~* '(ä)\1'
a> select 'a' ~ '$()|^\1', 'ab' ~ '$()|^\1', '' ~ '$()|^\1', 'a' ~ '$()', 'ba' ~ '(x)?b\1|a$'
a> select 'ab' ~ '^\1|(b)$'
a> select regexp_match('aAbB', '(?i)(a)\1(b)\2'), regexp_replace('xXyYzz', '(?i)(\w)\1', '<\1>', 'g'), regexp_count('aAaA bB', '(\w)\1', 1, 'i')
a> select 'aAa' ~ '(?i)^(a)\1{2}$', 'aAa' ~ '^(a)\1{2}$', 'AaAa' ~* '^(aa)\1$', 'SSſ' ~* '(s)\1\1'
a> select regexp_match('abcabd', '(abc|ab)(c|d)?\1'), regexp_match('xyxyz', '(xy)(?=\w)\1z'), 'foo foo' ~ '\m(\w+)\M \1\M', 'foo foobar' ~ '\m(\w+)\M \1\M'
a> select 'ab' ~ '(a)|b\1', 'b' ~ '(a)|b\1', 'ba' ~ '^(a)|b\1', 'bb' ~ '(a)?b\1b'
