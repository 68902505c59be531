import { expect } from 'chai';
import { DatabaseSilent, isDatabaseAway } from '../../../pkg/postgres/database-away.ts';

const withCode = (code: string): Error => Object.assign(new Error('x'), { code });

describe('whether the database is away, so that the same may succeed in a moment', () => {
  for (const code of ['ECONNREFUSED', 'EPIPE', '08006', '57P01', '57P03', '53300'])
    it(`${code}: the connection could not be made or was cut`, () =>
      expect(isDatabaseAway(withCode(code))).to.equal(true));

  it('25P03: the server ended a transaction that a process at a standstill left open', () =>
    expect(isDatabaseAway(withCode('25P03'))).to.equal(true));

  for (const text of [
    'Connection terminated unexpectedly',
    'Client has encountered a connection error and is not queryable',
  ])
    it(`"${text}"`, () => expect(isDatabaseAway(new Error(text))).to.equal(true));

  it('nothing is sent to a server that hangs', () => expect(isDatabaseAway(new DatabaseSilent())).to.equal(true));

  for (const other of [withCode('23505'), withCode('25P02'), new Error('x'), 'ECONNREFUSED'])
    it(`not: ${String((other as { code?: string }).code ?? other)}`, () =>
      expect(isDatabaseAway(other)).to.equal(false));
});
