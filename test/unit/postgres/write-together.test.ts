import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type pg from 'pg';
import { writeTogether } from '../../../pkg/postgres/client-stream.ts';

describe('writeTogether', () => {
  it('what is sent in one turn of the loop goes out in one write, in its order, and nothing stays behind', async () => {
    const writes: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        writes.push(String(chunk));
        done();
      },
      writev(chunks, done) {
        writes.push(chunks.map((one) => String(one.chunk)).join(''));
        done();
      },
    });
    const client = { connection: { stream } } as unknown as pg.ClientBase;
    for (const text of ['begin;', 'first;', 'second;']) {
      writeTogether(client);
      // As pg does for each statement.
      stream.cork();
      stream.write(text);
      stream.uncork();
    }
    expect(writes).to.deep.equal([]);
    await nextTurn();
    writeTogether(client);
    stream.write('commit');
    await nextTurn();
    expect(writes).to.deep.equal(['begin;first;second;', 'commit']);
  });
});
