import { expect } from 'chai';
import { UserError } from '../../../pkg/base/errors.ts';
import { ConnectionGate } from '../../../pkg/postgres/connection-gate.ts';

const SHARES = { perWorkspace: 2, perCaller: 3, waiting: 2, patienceMs: 60_000 };

/** Turns that the promises of a gate take at most. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('the gate before the pool', () => {
  const order: string[] = [];
  let leaves: Map<string, () => void>;
  const enter = (gate: ConnectionGate, name: string, workspace: string, caller?: string): Promise<void> =>
    gate.enter([workspace], caller).then(
      (leave) => {
        order.push(`${name} in`);
        leaves.set(name, leave);
      },
      (error: unknown) => {
        order.push(`${name} ${error instanceof UserError ? error.reason : 'fault'}`);
      },
    );

  beforeEach(() => {
    order.length = 0;
    leaves = new Map();
  });

  it('a workspace has its share and no more, others are not touched by it, and who waits comes in by turns', async () => {
    const gate = new ConnectionGate(SHARES);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void enter(gate, name, 'a');
    void enter(gate, 'b1', 'b');
    await settled();
    expect(order).to.have.members(['a1 in', 'a2 in', 'a5 TooManyAtOnce', 'b1 in']);
    leaves.get('a2')?.();
    leaves.get('a1')?.();
    await settled();
    expect(order.slice(4)).to.deep.equal(['a3 in', 'a4 in']);
  });

  it('a caller of many workspaces has its share too, and who waits for it keeps no place of a workspace for good', async () => {
    const gate = new ConnectionGate({ ...SHARES, waiting: 1, patienceMs: 1 });
    for (const name of ['a', 'b', 'c']) await enter(gate, name, name, 'ann');
    await enter(gate, 'd', 'd', 'ann');
    expect(order).to.deep.equal(['a in', 'b in', 'c in', 'd TooManyAtOnce']);
    await enter(gate, 'd1', 'd');
    await enter(gate, 'd2', 'd');
    leaves.get('a')?.();
    await enter(gate, 'e', 'e', 'ann');
    expect(order.slice(4)).to.deep.equal(['d1 in', 'd2 in', 'e in']);
  });
});
