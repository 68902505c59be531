import { expect } from 'chai';
import fc from 'fast-check';
import { type Group, spansOf, worthGrouping } from '../../../pkg/store/grouped.ts';
import { moveGroups } from '../../../pkg/store/runs/run-changes.ts';
import { eventGroups, type RunEvent } from '../../../pkg/store/runs/run-events.ts';
import type { RunRow } from '../../../pkg/store/runs/runs.ts';

/** Objects that several events share, as those of the engine do; the last two are equal. */
const SHARED: RunEvent['data'][] = [{ outcome: 'next' }, { outcome: 'next', sendId: 'null' }, { n: null }, {}, {}];
const PLAIN = { noNullPrototype: true };
/** A few that come again and again. */
const events: fc.Arbitrary<RunEvent[]> = fc.array(
  fc.record(
    {
      runId: fc.constantFrom('a', 'b', 'c', 'd'),
      at: fc.constantFrom(1, 2),
      kind: fc.constantFrom('run.step_done', 'run.failed'),
      nodeId: fc.constantFrom(null, '', 'null', 'n1'),
      actor: fc.constantFrom('engine', 'n1'),
      text: fc.constantFrom('', 'null'),
      data: fc.oneof(
        fc.constantFrom(...SHARED),
        fc.constantFrom('next', 'no').map((outcome): RunEvent['data'] => ({ outcome })),
        fc.constant(0).map((): RunEvent['data'] => ({})),
      ),
    },
    PLAIN,
  ),
  { maxLength: 60, size: 'max' },
);

type Place = Pick<RunRow, 'id' | 'nodeId' | 'state' | 'waitReason' | 'dueAt' | 'enteredAt'>;
const places = fc.array(
  fc.record(
    {
      id: fc.uuid(),
      nodeId: fc.constantFrom('', 'n1', '1 n1', 'null', 'null 1'),
      state: fc.constantFrom('waiting' as const, 'blocked' as const),
      waitReason: fc.constantFrom(null, 'duration' as const),
      dueAt: fc.constantFrom(null, 1, 11),
      enteredAt: fc.constantFrom(1, 11),
    },
    PLAIN,
  ),
  { maxLength: 60, size: 'max' },
);

const text = (value: object): string =>
  JSON.stringify(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
const said = ({ runId: _own, ...what }: RunEvent): string => text(what);
const placeOf = ({ id: _own, ...what }: Place): string => text(what);
const rowsOf = <T>(groups: readonly Group<T>[]): T[] => groups.flatMap((group) => group.rows);
/** As the statements put rows together: what is the row's own, and the rest of the group. */
const expanded = (groups: readonly Group<RunEvent>[]): RunEvent[] =>
  groups.flatMap(({ like, rows }) => rows.map(({ runId }) => ({ ...like, runId })));

describe('rows by groups', () => {
  it('events of each run are given back as they were logged, in their order', () => {
    fc.assert(
      fc.property(events, (logged) => {
        const back = expanded(eventGroups(logged));
        expect(back).to.have.length(logged.length);
        for (const run of ['a', 'b', 'c', 'd']) {
          const of = (all: RunEvent[]): RunEvent[] => all.filter((event) => event.runId === run);
          expect(of(back)).to.deep.equal(of(logged));
        }
      }),
    );
  });

  it('events of different runs that say the same are one group', () => {
    const event = (runId: string, data: RunEvent['data'], nodeId = 'n1'): RunEvent => ({
      ...{ runId, at: 1, kind: 'run.step_done', nodeId, actor: 'engine', text: '', data },
    });
    const shared = { outcome: 'next' };
    const logged = [event('a', shared), event('b', { outcome: 'no' }), event('c', { ...shared }), event('d', shared)];
    const sizes = (all: RunEvent[]): number[] => eventGroups(all).map((group) => group.rows.length);
    expect(sizes(logged)).to.deep.equal([3, 1]);
    expect(sizes([...logged, event('a', shared, 'n2'), event('b', shared, 'n2')])).to.deep.equal([3, 1, 2]);
    expect(sizes([event('a', shared), event('a', shared)]), 'both of one run').to.deep.equal([1, 1]);
    expect(sizes([])).to.deep.equal([]);
  });

  it('events with the same data are two groups when anything else differs', () => {
    const data = { outcome: 'next' };
    const one: RunEvent = {
      ...{ runId: 'a', at: 1, kind: 'run.step_done', nodeId: 'n1', actor: 'engine', text: '', data },
    };
    const others: Partial<RunEvent>[] = [
      { at: 2 },
      { kind: 'run.failed' },
      { nodeId: null },
      { actor: 'member' },
      { text: ' ' },
    ];
    for (const other of others) {
      expect(eventGroups([one, { ...one, runId: 'b', ...other }]), JSON.stringify(other)).to.have.length(2);
    }
  });

  it('what each run told first comes in as few groups as there are things told', () => {
    fc.assert(
      fc.property(events, (logged) => {
        const first = logged.filter((event, at) => logged.findIndex((one) => one.runId === event.runId) === at);
        expect(eventGroups(first)).to.have.length(new Set(first.map(said)).size);
      }),
    );
  });

  it('runs are grouped by where they stand, and none with another that stands elsewhere', () => {
    fc.assert(
      fc.property(places, (runs) => {
        const groups = moveGroups(runs as RunRow[]);
        expect(rowsOf(groups)).to.have.members(runs);
        for (const { like, rows } of groups) expect(new Set([like, ...rows].map(placeOf)).size).to.equal(1);
        expect(groups).to.have.length(new Set(runs.map(placeOf)).size);
      }),
    );
  });

  it('spans say where the rows of each group lie', () => {
    fc.assert(
      fc.property(events, (logged) => {
        const groups = eventGroups(logged);
        const rows = rowsOf(groups);
        const { first, last } = spansOf(groups);
        const slices = groups.map((_group, at) => rows.slice((first[at] ?? 0) - 1, last[at]));
        expect(slices).to.deep.equal(groups.map((group) => group.rows));
      }),
    );
  });

  it('groups are worth it when they are few for their rows', () => {
    expect([worthGrouping(1, 3), worthGrouping(1, 2), worthGrouping(300, 1_000), worthGrouping(400, 1_000)]).to.eql([
      true,
      false,
      true,
      false,
    ]);
  });
});
