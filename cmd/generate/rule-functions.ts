import { readdirSync, readFileSync } from 'node:fs';
import { keepFile } from './keep-file.ts';
import { ACTION_RULES } from './rule-functions/action-rules.ts';
import { CAMPAIGN_RULES } from './rule-functions/campaign-rules.ts';
import { PERSON_RULES } from './rule-functions/person-rules.ts';
import { GENERATED, textOf } from './rule-functions/rule.ts';

/** Writes the functions of the database that answer what pkg/domain says; `--check` fails when they are not up to date. */
const STORE = new URL('../../pkg/store/', import.meta.url).pathname;
const RULES = [...ACTION_RULES, ...CAMPAIGN_RULES, ...PERSON_RULES];

for (const rule of RULES) {
  keepFile(`pkg/store/${rule.file}.sql`, textOf(rule));
}

/** What a rule that is no more has left. */
const left = readdirSync(STORE, { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    file.endsWith('.sql') &&
    !RULES.some((rule) => `${rule.file}.sql` === file) &&
    readFileSync(STORE + file, 'utf8').startsWith(GENERATED),
);
for (const file of left) {
  console.error(`pkg/store/${file} is generated from no rule; a migration drops its function.`);
  process.exitCode = 1;
}
