import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { sendEvent } from '../../../pkg/mcp/http-io.ts';

/** What of a response an event needs, with this many bytes that nobody reads. */
function stream(writableLength: number): { response: ServerResponse; written: string[]; destroyed: () => boolean } {
  const written: string[] = [];
  const state = { destroyed: false };
  const response = {
    writableLength,
    writableEnded: false,
    get destroyed() {
      return state.destroyed;
    },
    write: (text: string) => written.push(text) > 0,
    destroy: () => {
      state.destroyed = true;
    },
  };
  return { response: response as unknown as ServerResponse, written, destroyed: () => state.destroyed };
}

describe('an event stream', () => {
  it('sends to who reads, and is cut when tens of megabytes wait', () => {
    const read = stream(1_000_000);
    sendEvent(read.response, '{}', 'a.1');
    expect(read.written).to.deep.equal(['id: a.1\nevent: message\ndata: {}\n\n']);
    const unread = stream(40_000_000);
    sendEvent(unread.response, '{}');
    sendEvent(unread.response, '{}');
    expect([unread.written, unread.destroyed()]).to.deep.equal([[], true]);
  });
});
