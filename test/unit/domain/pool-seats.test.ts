import { expect } from 'chai';
import fc from 'fast-check';
import { membersByWish, mostSeats, planSeats } from '../../../pkg/domain/pool-seats.ts';

const names = (what: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${what}-${index}`);
const loads = (seats: ReadonlyMap<string, string>): Map<string, number> => {
  const counted = new Map<string, number>();
  for (const member of seats.values()) counted.set(member, (counted.get(member) ?? 0) + 1);
  return counted;
};
const apply = (seats: ReadonlyMap<string, string>, moves: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...seats, ...moves]);

const world = fc.record({
  members: fc.integer({ min: 1, max: 8 }).map((count) => names('ex-pool', count)),
  workspaces: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 80 }),
});
/** Any state that hands may have left: seats at members that exist, at some that do not, none. */
const anyState = world.chain(({ members, workspaces }) =>
  fc.record({
    members: fc.constant(members),
    workspaces: fc.constant(workspaces),
    seats: fc
      .array(fc.option(fc.constantFrom(...members, 'ex-pool-gone'), { nil: undefined }), {
        minLength: workspaces.length,
        maxLength: workspaces.length,
      })
      .map((at) => new Map(workspaces.flatMap((id, index) => (at[index] === undefined ? [] : [[id, at[index]]])))),
  }),
);

describe('seats of a pool', () => {
  it('gives everybody a member that exists, none above its bound, from any state', () => {
    fc.assert(
      fc.property(anyState, ({ members, workspaces, seats }) => {
        const after = apply(seats, planSeats({ members, seats, wanting: workspaces }));
        expect([...after.keys()].sort()).to.deep.equal([...workspaces].sort());
        for (const member of after.values()) expect(members).to.include(member);
        const most = mostSeats(workspaces.length, members.length);
        for (const load of loads(after).values()) expect(load).to.be.at.most(most);
      }),
    );
  });

  it('moves nobody when it is asked again, however the seats are listed: an operator restart moves nobody', () => {
    fc.assert(
      fc.property(anyState, fc.nat(), ({ members, workspaces, seats }, turn) => {
        const after = [...apply(seats, planSeats({ members, seats, wanting: workspaces }))];
        const at = after.length === 0 ? 0 : turn % after.length;
        const turned = new Map([...after.slice(at), ...after.slice(0, at)]);
        expect(planSeats({ members: [...members].reverse(), seats: turned, wanting: workspaces }).size).to.equal(0);
      }),
    );
  });

  it('moves only the workspaces of a member that goes, as nobody else is above the higher bound', () => {
    fc.assert(
      fc.property(world, fc.nat(), ({ members, workspaces }, at) => {
        fc.pre(members.length > 1);
        const seats = planSeats({ members, seats: new Map(), wanting: workspaces });
        const gone = members[at % members.length];
        const moves = planSeats({ members: members.filter((member) => member !== gone), seats });
        const theirs = [...seats].filter(([, member]) => member === gone).map(([id]) => id);
        expect([...moves.keys()].sort()).to.deep.equal(theirs.sort());
      }),
    );
  });

  it('moves no more than what is above the new bound when a member comes, and all of it to the new one or below the bound', () => {
    fc.assert(
      fc.property(world, ({ members, workspaces }) => {
        const seats = planSeats({ members, seats: new Map(), wanting: workspaces });
        const grown = [...members, 'ex-pool-new'];
        const most = mostSeats(workspaces.length, grown.length);
        const above = [...loads(seats).values()].reduce((sum, load) => sum + Math.max(0, load - most), 0);
        const moves = planSeats({ members: grown, seats });
        expect(moves.size).to.equal(above);
        for (const load of loads(apply(seats, moves)).values()) expect(load).to.be.at.most(most);
      }),
    );
  });

  it('leaves those of a member that pauses where they are, and sends nobody there', () => {
    fc.assert(
      fc.property(world, fc.nat(), ({ members, workspaces }, at) => {
        fc.pre(members.length > 1);
        const half = workspaces.slice(0, workspaces.length / 2);
        const seats = planSeats({ members, seats: new Map(), wanting: half });
        const pausing = [members[at % members.length] ?? ''];
        const moves = planSeats({ members, seats, wanting: workspaces, pausing });
        for (const [id, member] of seats) if (pausing.includes(member)) expect(moves.has(id)).to.equal(false);
        for (const member of moves.values()) expect(pausing).to.not.include(member);
      }),
    );
  });

  it('seats nobody where no member serves', () => {
    expect(planSeats({ members: [], seats: new Map([['a', 'gone']]), wanting: ['b'] }).size).to.equal(0);
    expect(planSeats({ members: ['m'], seats: new Map(), wanting: ['b'], pausing: ['m'] }).size).to.equal(0);
  });

  it('spreads many evenly by wish alone: of 8,000 no member of 8 is the first wish of less than 900 or more than 1,100', () => {
    const members = names('ex-pool', 8);
    const first = loads(new Map(names('ws', 8_000).map((id) => [id, membersByWish(id, members)[0] ?? ''])));
    for (const load of first.values()) expect(load).to.be.within(900, 1_100);
  });

  it('moves about a ninth of 1,000 when the ninth member comes', () => {
    const members = names('ex-pool', 8);
    const seats = planSeats({ members, seats: new Map(), wanting: names('ws', 1_000) });
    expect(planSeats({ members: [...members, 'ex-pool-8'], seats }).size).to.be.at.most(1_000 / 9);
  });
});
