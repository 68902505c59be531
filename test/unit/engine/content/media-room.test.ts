import { expect } from 'chai';
import { MediaRoom } from '../../../../pkg/engine/content/media-room.ts';

describe('content: media that lie on disk at once have a maximum', () => {
  const open = new AbortController().signal;

  it('what has no room waits in order, and who stops waiting holds up nobody', async () => {
    const room = new MediaRoom(10);
    const leave = await room.enter(6, open);
    const stopped = new AbortController();
    const large = room.enter(8, stopped.signal).catch((error: Error) => error.message);
    const entered: string[] = [];
    const small = room.enter(4, open).then((give) => {
      entered.push('small');
      return give;
    });
    await Promise.resolve();
    expect(entered).to.deep.equal([]);
    stopped.abort(new Error('too late'));
    expect(await large).to.equal('too late');
    const giveBack = await small;
    const last = room.enter(7, open);
    leave();
    leave();
    giveBack();
    (await last)();
    (await room.enter(100, open))();
  });
});
