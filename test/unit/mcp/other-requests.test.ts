import { expect } from 'chai';
import type { Authenticated } from '../../../pkg/mcp/authentication.ts';
import { OtherRequests } from '../../../pkg/mcp/other-requests.ts';

const by = (keyId: string, overall: number): Authenticated =>
  ({ hash: Buffer.alloc(1), caller: { keyId }, limits: { read: 1, write: 1, llm: 1, overall } }) as Authenticated;

describe('requests that are no calls', () => {
  it('five for each call that a key may make, 60 at least; a batch counts each; the window turns after a minute', () => {
    let now = 0;
    const others = new OtherRequests(() => now);
    others.count(by('a', 240), 1_200);
    expect(() => others.count(by('a', 240), 1)).to.throw(/at most 1200 requests per minute.*Retry after 60s/);
    others.count(by('b', 0), 60);
    now = 59_000;
    expect(() => others.count(by('b', 0), 1)).to.throw(/at most 60 .*Retry after 1s/);
    others.count({ ...by('a', 240), hash: null }, 10_000);
    now = 60_000;
    others.count(by('b', 0), 1);
    others.count(by('a', 240), 100);
  });

  it('of all keys of a user together a multiple of what one may; nothing of a refused batch counts', () => {
    const others = new OtherRequests(() => 0);
    const owned = (keyId: string, id = 'user:1'): Authenticated => ({ ...by(keyId, 20), owner: { id, times: 2 } });
    for (const key of ['a', 'b']) others.count(owned(key), 90);
    expect(() => others.count(owned('c'), 21)).to.throw(/^All keys of a user or a workspace make at most 200 requests/);
    others.count(owned('c'), 20);
    expect(() => others.count(owned('d'), 1)).to.throw(/at most 200/);
    others.count(owned('d', 'user:2'), 100);
  });
});
