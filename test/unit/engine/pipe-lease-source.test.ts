import { expect } from 'chai';
import { PipeLeaseSource } from '../../../pkg/engine/lease/pipe-lease-source.ts';

type Sent = { type: string; id: number; key?: string };

function pipe(answer: (sent: Sent) => object): { source: PipeLeaseSource; sent: Sent[] } {
  const sent: Sent[] = [];
  let listener: (message: unknown) => void = () => undefined;
  const channel = {
    send(message: object): void {
      sent.push(message as Sent);
      listener({ type: 'noise' });
      listener(answer(message as Sent));
    },
    on(_event: 'message', heard: (message: unknown) => void): void {
      listener = heard;
    },
  };
  return { source: new PipeLeaseSource(channel), sent };
}

describe('PipeClaimSource', () => {
  it('asks the parent and takes the token of its own question', async () => {
    const { source, sent } = pipe((asked) => ({ type: 'claimed', id: asked.id, token: 't', epoch: 7 }));
    expect(await source.claim('workspace', 'ws-a')).to.deep.equal({ token: 't', epoch: 7 });
    expect(sent[0]).to.include({ type: 'claim', kind: 'workspace', key: 'ws-a' });
  });

  it('a refusal is null, and garbage is not a claim', async () => {
    expect(await pipe((asked) => ({ type: 'refused', id: asked.id })).source.claim('account', 'a')).to.equal(null);
    expect(await pipe((asked) => ({ type: 'claimed', id: asked.id, token: 5 })).source.claim('account', 'a')).to.equal(
      null,
    );
  });

  it('lists the due accounts', async () => {
    const { source } = pipe((asked) => ({ type: 'accounts', id: asked.id, accountIds: ['a', 5, 'b'], nextAt: 7 }));
    expect(await source.dueAccounts(10)).to.deep.equal({ accountIds: ['a', 'b'], nextAt: 7 });
  });

  it('without a parent it says so', async () => {
    const orphan = new PipeLeaseSource({ on: () => undefined });
    expect(await orphan.claim('workspace', 'x').catch((error: Error) => error.message)).to.contain('no parent');
  });
});
