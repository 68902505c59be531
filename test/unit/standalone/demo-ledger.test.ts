import { expect } from 'chai';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { compareLedgers, peaksOf, type Received } from '../../../pkg/standalone/demo/demo-ledger.ts';

const received = (kind: string, target: string, at = '2026-01-05T10:00:00.000Z'): Received => ({
  seq: 0,
  at,
  accountId: 'acc',
  kind,
  target: `https://www.linkedin.com/in/${target}`,
});

function recorded(rows: { action: string; target: string }[]): Tx {
  const result = rows.map((row) => ({ account: 'acc', ...row }));
  return { rows: async () => result as never } as unknown as Tx;
}

describe("comparison of the product's ledger with what the network received", () => {
  it('equal ledgers have nothing missing and nothing double', async () => {
    const result = await compareLedgers(recorded([{ action: 'message', target: 'ann' }]), [received('message', 'ann')]);
    expect(result).to.deep.equal({ recorded: 1, received: 1, missing: 0, double: 0 });
  });

  it('a message received twice is double', async () => {
    const result = await compareLedgers(recorded([{ action: 'message', target: 'ann' }]), [
      received('message', 'ann'),
      received('message', 'ann'),
    ]);
    expect(result.double).to.equal(1);
  });

  it('a message recorded but never received is missing', async () => {
    const result = await compareLedgers(recorded([{ action: 'message', target: 'ann' }]), []);
    expect(result.missing).to.equal(1);
  });

  it('a noted request counts as one request', async () => {
    const result = await compareLedgers(recorded([{ action: 'connection_request', target: 'ann' }]), [
      received('connection_request_with_note', 'Ann'),
    ]);
    expect(result).to.include({ missing: 0, double: 0 });
  });

  it('the peak of a budget is its busiest day', () => {
    const peaks = peaksOf([
      received('message', 'a'),
      received('message', 'b'),
      received('message', 'c', '2026-01-06T10:00:00.000Z'),
    ]);
    expect(peaks).to.deep.equal([{ accountId: 'acc', kind: 'message', day: '2026-01-05', used: 2 }]);
  });
});
