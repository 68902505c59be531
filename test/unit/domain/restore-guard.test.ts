import { expect } from 'chai';
import { disagreements, type InsideRecord, type OutsideRecord } from '../../../pkg/domain/restore-guard.ts';

const SERVER = { systemIdentifier: 's1', timeline: 1 };
const inside = (epoch: number, change: Partial<InsideRecord> = {}): InsideRecord => ({
  epoch,
  ...SERVER,
  server: SERVER,
  accepted: {},
  ...change,
});
const outside = (epoch: number, change: Partial<OutsideRecord> = {}): OutsideRecord => ({
  epoch,
  ...SERVER,
  ...change,
});

describe('restore guard', () => {
  const AGREE: [string, InsideRecord, Record<string, OutsideRecord | null>][] = [
    ['a new installation', inside(0, { systemIdentifier: null, timeline: null }), { lease: null }],
    ['a first epoch that did not arrive outside', inside(1), { lease: null }],
    ['a plain restart', inside(7), { lease: outside(7), file: outside(7) }],
    ['a stop between the write inside and the one outside', inside(8), { lease: outside(7), file: outside(8) }],
    ['what a reconciliation accepted', inside(9, { accepted: { lease: outside(3) } }), { lease: outside(3) }],
    ['an absence that a reconciliation accepted', inside(9, { accepted: { lease: null } }), { lease: null }],
  ];
  for (const [name, state, records] of AGREE) {
    it(`${name} goes on by itself`, () => expect(disagreements(state, records)).to.deep.equal([]));
  }

  const DIFFER: [string, InsideRecord, Record<string, OutsideRecord | null>, RegExp][] = [
    ['a database older than what ran last', inside(7), { lease: outside(8) }, /epoch 7, lease says 8/],
    [
      'an empty database where one ran',
      inside(0, { systemIdentifier: null, timeline: null }),
      { file: outside(4) },
      /epoch 0, file says 4/,
    ],
    ['resources older than the database', inside(9), { lease: outside(7) }, /lease holds is older/],
    ['an outside epoch that is gone', inside(9), { lease: null }, /lease is gone/],
    ['one keeper of two', inside(9), { lease: outside(9), file: outside(12) }, /file says 12/],
    [
      'another cluster',
      inside(9, { server: { systemIdentifier: 's2', timeline: 1 } }),
      { lease: outside(9) },
      /another Postgres cluster/,
    ],
    [
      'another timeline',
      inside(9, { server: { systemIdentifier: 's1', timeline: 2 } }),
      { lease: outside(9) },
      /timeline 2, it was 1/,
    ],
    [
      'a dump loaded into another cluster',
      inside(9, { systemIdentifier: null }),
      { lease: outside(9, { systemIdentifier: 's0' }) },
      /another Postgres cluster/,
    ],
    [
      'more than was accepted',
      inside(9, { accepted: { lease: outside(3) } }),
      { lease: outside(2) },
      /lease holds is older/,
    ],
  ];
  for (const [name, state, records, reason] of DIFFER) {
    it(`${name} is told`, () => expect(disagreements(state, records).join(' ')).to.match(reason));
  }
});
