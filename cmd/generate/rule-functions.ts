import { readdirSync, readFileSync } from 'node:fs';
import { keepFile } from './keep-file.ts';
import { ACTION_RULES } from './rule-functions/action-rules.ts';
import { CAMPAIGN_RULES } from './rule-functions/campaign-rules.ts';
import { PERSON_RULES } from './rule-functions/person-rules.ts';
import { GENERATED, textOf } from './rule-functions/rule.ts';

/** Writes the functions of the database that answer what pkg/domain says; `--check` fails when they are not up to date. */
const STORE = new URL('../../pkg/store/', import.meta.url).pathname;
const RULES = [...ACTION_RULES, ...CAMPAIGN_RULES, ...PERSON_RULES];

/** The form of app.policy_days whose callers say the default again; it goes with its last caller. */
const FORMER = `
create or replace function app.policy_days(p_settings jsonb, p_field text, p_default int) returns int
  language sql immutable
  as $$ select coalesce((p_settings -> 'contactPolicy' ->> p_field)::int, p_default) $$;

grant execute on function app.policy_days(jsonb, text, int) to outrider_app, outrider_definer, outrider_executor;
`;

for (const rule of RULES) {
  keepFile(`pkg/store/${rule.file}.sql`, textOf(rule) + (rule.file === 'budgets/policy_days' ? FORMER : ''));
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
