import { expect } from 'chai';
import fc from 'fast-check';
import { filtersOf, narrowing, queryOf, searchOf } from '../../../pkg/console/screens/leads/lead-filters.ts';
import { groupedKinds, kindWords } from '../../../pkg/console/screens/notifications/kind-words.ts';
import { diffLines } from '../../../pkg/console/screens/playbook/diff-lines.ts';
import { hoursOf, USUAL_HOURS } from '../../../pkg/console/screens/settings/hours.ts';
import {
  byDomain,
  levelOf,
  levelsOf,
  scopeWords,
  withLevel,
} from '../../../pkg/console/screens/settings/scope-levels.ts';
import { DEFAULT_BUSINESS_HOURS } from '../../../pkg/domain/business-hours.ts';
import { EVENT_KINDS } from '../../../pkg/domain/event-kinds.ts';
import { ALL_SCOPES } from '../../../pkg/domain/scopes.ts';

describe('rights of a key, domain by domain', () => {
  it('each level of each domain is what it says, and leaves the others alone', () => {
    let chosen: ReadonlySet<string> = new Set();
    for (const domain of byDomain(ALL_SCOPES))
      for (const level of levelsOf(domain)) {
        const before = [...chosen].filter((scope) => !scope.startsWith(`${domain.name}:`));
        chosen = withLevel(chosen, domain, level);
        expect(levelOf(domain, chosen), `${domain.name} ${level}`).to.equal(level);
        expect([...chosen].filter((scope) => !scope.startsWith(`${domain.name}:`))).to.deep.equal(before);
        expect(ALL_SCOPES).to.include.members([...chosen]);
      }
  });

  it('a domain that can only be written has no level that reads', () => {
    const outreach = byDomain(ALL_SCOPES).find(({ name }) => name === 'outreach');
    expect(outreach && levelsOf(outreach)).to.deep.equal(['none', 'write']);
    expect(withLevel(new Set(), outreach ?? { name: '', read: false, write: false }, 'all')).to.deep.equal(
      new Set(['outreach:write']),
    );
    expect(scopeWords(['leads:read', 'leads:write', 'inbox:read', 'ext_integrations:write'])).to.equal(
      'leads: all, inbox: read, ext integrations: write',
    );
  });
});

describe('what changed between two texts', () => {
  it('takes the one text apart and puts the other together, whatever they are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '', 'c'), { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const of = (...kinds: string[]): string =>
          lines.flatMap(({ kind, text: line }) => (kinds.includes(kind) ? [line] : [])).join('\n');
        expect([of('same', 'gone'), of('same', 'new')]).to.deep.equal([before, after]);
      }),
      { numRuns: 500 },
    );
  });

  it('names the fewest lines', () => {
    const lines = diffLines('one\ntwo\nthree', 'one\nthree\nfour');
    expect(lines.map(({ kind }) => kind)).to.deep.equal(['same', 'gone', 'same', 'new']);
    expect(diffLines('x', 'x')).to.deep.equal([{ kind: 'same', text: 'x' }]);
  });

  it('of texts that are too long is told as a whole', () => {
    const [a, b] = ['a', 'b'].map((letter) => Array.from({ length: 2_100 }, (_, n) => `${letter}${n}`).join('\n'));
    expect(diffLines(a ?? '', b ?? '')).to.have.length(4_200);
  });
});

describe('filters of leads', () => {
  it('come back from the address as they were, and nothing else does', () => {
    const given = { ...filtersOf({}), q: 'Ada & Bo', tag: 'a,b', mail: 'no', of: 'private', excluded: 'yes' } as const;
    const query = Object.fromEntries(new URLSearchParams(queryOf(given)));
    expect(filtersOf(query)).to.deep.equal(given);
    expect(filtersOf({ mail: 'x', of: '<script>', foo: 'bar', excluded: '1' })).to.deep.equal(filtersOf({}));
    expect(queryOf(filtersOf({}))).to.equal('');
    expect([narrowing(filtersOf({ q: 'x' })), narrowing(given)]).to.deep.equal([0, 4]);
  });

  it('ask for what they say', () => {
    const asked = searchOf({ ...filtersOf({}), title: 'CTO, CEO', mail: 'yes', list: 'l' }, 'acme');
    expect(asked).to.deep.include({ titles: ['CTO', 'CEO'], hasEmail: true, leadListId: 'l', workspaceId: 'acme' });
    expect(asked.tags).to.equal(undefined);
  });
});

describe('hours of a form', () => {
  it('are those of the product where nobody set any', () => {
    const { timezone, holidayCountry, ...usual } = USUAL_HOURS;
    expect(usual).to.deep.equal(DEFAULT_BUSINESS_HOURS);
    expect([timezone, holidayCountry]).to.deep.equal(['', '']);
    expect(hoursOf(null)).to.deep.equal(USUAL_HOURS);
    expect(hoursOf({ days: [5, 1], endHour: 12 })).to.deep.equal({ ...USUAL_HOURS, days: [1, 5], endHour: 12 });
  });
});

describe('kinds of notifications', () => {
  it('each stands under one title, and none under “Others”', () => {
    const groups = groupedKinds(EVENT_KINDS);
    expect(groups.flatMap(({ kinds }) => kinds).sort()).to.deep.equal([...EVENT_KINDS].sort());
    expect(groups.map(({ title }) => title)).to.not.include('Others');
    expect(groupedKinds(['moon.full'])).to.deep.equal([{ title: 'Others', kinds: ['moon.full'] }]);
    expect(kindWords('account.status_changed')).to.equal('Account status changed');
  });
});
