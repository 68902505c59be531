import { expect } from 'chai';
import pg from 'pg';
import {
  ACTIONS,
  BUDGET_ACTIONS,
  isContact,
  isEvenExcluded,
  isHarmless,
  isRaisable,
} from '../../../pkg/domain/actions.ts';
import { DEFAULT_RAMP } from '../../../pkg/domain/budget.ts';
import { SCORE_MIN } from '../../../pkg/domain/campaign-defaults.ts';
import { SIGNAL_TYPES } from '../../../pkg/domain/condition.ts';
import { CONTACT_POLICY } from '../../../pkg/domain/contact-policy.ts';
import { foldings } from '../../../pkg/domain/fold-text.ts';
import { seededRandom } from '../../../pkg/domain/random.ts';
import { hasReplied, isAnswer } from '../../../pkg/domain/replied.ts';
import { SPLIT_METRICS, SPLIT_MODES } from '../../../pkg/domain/split-settings.ts';
import { EXCLUSION_REACHES, SUPPRESSION_SOURCES } from '../../../pkg/domain/suppression.ts';
import {
  ACCOUNT_STATUSES,
  ACCOUNT_TIERS,
  CAMPAIGN_STATES,
  MEMBER_ROLES,
  REPLY_CLASSES,
  RUN_STATES,
} from '../../../pkg/domain/vocabulary.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** A word that no list has. */
const UNKNOWN = 'no_such_word';

/** Columns whose check lists the words of pkg/domain. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'run.state': RUN_STATES,
  'campaign.state': CAMPAIGN_STATES,
  'network_account.tier': ACCOUNT_TIERS,
  'network_account.status': ACCOUNT_STATUSES,
  'member.role': MEMBER_ROLES,
  'invitation.role': MEMBER_ROLES.filter((role) => role !== 'owner'),
  'split_control.mode': SPLIT_MODES,
  'split_control.metric': SPLIT_METRICS,
  'signal.type': SIGNAL_TYPES,
  'suppression.applies_to': EXCLUSION_REACHES,
};

describe('rules that pkg/domain and the database have', function () {
  this.timeout(60_000);
  let owner: pg.Client;

  before(async () => {
    const { ownerUrl } = await (await testPostgres()).product();
    owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
  });
  after(() => owner.end());

  async function rows<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await owner.query(text, values)).rows as T[];
  }

  async function answer(expression: string, ...values: unknown[]): Promise<unknown> {
    return (await rows<{ answer: unknown }>(`select ${expression} as answer`, values))[0]?.answer;
  }

  it('class, harmlessness and ceilings of every action are those of its row', async () => {
    for (const action of [...BUDGET_ACTIONS, UNKNOWN]) {
      const ceiling = action in ACTIONS ? ACTIONS[action as keyof typeof ACTIONS].ceiling : null;
      expect(await answer('app.is_contact($1)', action), action).to.equal(isContact(action));
      expect(await answer('app.is_harmless($1)', action), action).to.equal(isHarmless(action));
      expect(await answer('app.is_even_excluded($1)', action), action).to.equal(isEvenExcluded(action));
      expect(await answer('app.is_raisable($1)', action), action).to.equal(isRaisable(action));
      expect(await answer('app.ceiling_day($1)', action), action).to.equal(ceiling?.day ?? null);
      expect(await answer('app.ceiling_week($1)', action), action).to.equal(ceiling?.week ?? null);
    }
  });

  it('budgets of every action and tier are those of its row; a word that is no action has none', async () => {
    const found = await rows<{ tier: string; action: string; day: number; week: number }>(
      `select t.tier, a.action, b.day, b.week from unnest($1::text[]) t (tier) cross join unnest($2::text[]) a (action)
         cross join lateral app.default_budget(t.tier, a.action) b`,
      [ACCOUNT_TIERS, BUDGET_ACTIONS],
    );
    const expected = ACCOUNT_TIERS.flatMap((tier) =>
      BUDGET_ACTIONS.map((action) => {
        const { day, week } = ACTIONS[action].budgets[tier];
        return { tier, action, day, week: week ?? -1 };
      }),
    );
    expect(found).to.have.deep.members(expected);
    expect(await rows('select * from app.default_budget($1, $2)', ['sales', UNKNOWN])).to.deep.equal([
      { day: 0, week: -1 },
    ]);
  });

  it('each rule of a contact policy has its default, and gives way to what the campaign says', async () => {
    const said = (rule: string, value: unknown): string => JSON.stringify({ contactPolicy: { [rule]: value } });
    for (const [rule, value] of Object.entries(CONTACT_POLICY)) {
      const ask =
        typeof value === 'string'
          ? 'app.dedupe_scope($1)'
          : `app.${typeof value === 'number' ? 'policy_days' : 'policy_flag'}($1, '${rule}')`;
      const other = typeof value === 'string' ? 'agency' : typeof value === 'number' ? value + 4 : !value;
      for (const settings of ['{}', '{"contactPolicy": null}', '{"contactPolicy": {}}', said(rule, null)])
        expect(await answer(ask, settings), `${rule} of ${settings}`).to.equal(value);
      expect(await answer(ask, said(rule, other)), rule).to.equal(other);
    }
  });

  it('whatever asks for a rule of the contact policy names one that there is', async () => {
    const functions = await rows<{ name: string; body: string }>(
      `select proname as name, prosrc as body from pg_proc where pronamespace = 'app'::regnamespace`,
    );
    const asked = functions.flatMap(({ name, body }) =>
      [...body.matchAll(/app\.policy_(days|flag)\([^()]*?, *('?\w+'?)/g)].map(([, kind, rule]) => ({
        name,
        kind,
        rule,
      })),
    );
    expect(asked.length).to.be.greaterThan(15);
    const kinds: Record<string, string> = { number: 'days', boolean: 'flag' };
    const known = Object.entries(CONTACT_POLICY).map(([rule, value]) => `${kinds[typeof value]} '${rule}'`);
    expect(asked.filter(({ kind, rule }) => !known.includes(`${kind} ${rule}`))).to.deep.equal([]);
    expect(
      functions.filter(({ name, body }) => body.includes("'contactPolicy'") && !/^(policy_|dedupe_scope)/.test(name)),
      'functions that read a policy by themselves',
    ).to.deep.equal([]);
  });

  it('has replied: absences do not count, whatever is not classified does', async () => {
    for (const replyClass of [...REPLY_CLASSES, undefined]) {
      expect(await answer('app.is_answer($1)', replyClass), replyClass).to.equal(isAnswer(replyClass));
      for (const replied of [true, false, undefined]) {
        const facts = { ...(replied === undefined ? {} : { replied }), ...(replyClass ? { replyClass } : {}) };
        const text = JSON.stringify(facts);
        expect(await answer('app.has_replied($1)', text), text).to.equal(hasReplied(facts));
      }
    }
    expect(await answer('app.has_replied($1)', '{"replied": true, "replyClass": "out_of_office"}')).to.equal(false);
  });

  it('a text is folded as in TypeScript, whatever its letters', async () => {
    const random = seededRandom('folded');
    const letters = [...'aZ9 -äÖüÅøÆßẞłŁđĐðÞœıİçéñşğžőαΣςйЁが김ﬁ\u0301e\u0308'];
    const texts = Array.from({ length: 300 }, () =>
      Array.from({ length: 8 }, () => letters[Math.floor(random() * letters.length)]).join(''),
    );
    const made = await rows<{ text: string; folded: string }>(
      'select t as text, app.folded(t) as folded from unnest($1::text[]) t',
      [texts],
    );
    for (const { text, folded } of made)
      for (const form of /\P{ASCII}/u.test(text) ? foldings(text) : []) expect(folded, text).to.contain(form);
  });

  it('exclusions of each source can be lifted or not as their row says', async () => {
    for (const [source, { removable }] of Object.entries(SUPPRESSION_SOURCES))
      expect(await answer('app.is_removable($1)', source), source).to.equal(removable);
  });

  it('the defaults of scoreMin and of the ramp-up are those of pkg/domain', async () => {
    expect(await answer('app.score_min($1)', '{}')).to.equal(SCORE_MIN);
    expect(await answer('app.score_min($1)', '{"scoreMin": 62.5}')).to.equal(62.5);
    const columns = await rows<{ name: string; value: string }>(
      `select a.attname as name, pg_get_expr(d.adbin, d.adrelid) as value from pg_attrdef d
         join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
       where d.adrelid = 'outrider.network_account'::regclass and a.attname in ('ramp_days', 'ramp_start_share') order by 1`,
    );
    expect(columns.map(({ value }) => Number.parseFloat(value.replace(/^'/, '')))).to.deep.equal([
      DEFAULT_RAMP.days,
      DEFAULT_RAMP.startShare,
    ]);
  });

  it('checks of columns list the words of pkg/domain', async () => {
    const checks = await rows<{ column: string; words: string }>(
      `select r.relname || '.' || a.attname as column, pg_get_constraintdef(c.oid) as words
       from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_attribute a on a.attrelid = r.oid and a.attnum = c.conkey[1]
       where c.contype = 'c' and cardinality(c.conkey) = 1 and r.relnamespace = 'outrider'::regnamespace`,
    );
    for (const [column, words] of Object.entries(WORDS)) {
      const listed = checks
        .filter((check) => check.column === column && check.words.includes('ARRAY['))
        .map((check) => [...check.words.matchAll(/'(\w+)'::text/g)].map((match) => match[1]));
      expect(listed, column).to.have.length(1);
      expect(listed[0], column).to.have.members(words);
    }
  });
});
