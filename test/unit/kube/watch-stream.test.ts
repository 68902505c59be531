import { expect } from 'chai';
import { parseWatch, WatchParseError } from '../../../pkg/kube/watch-stream.ts';
import { event, widget } from '../../fixtures/kube/support.ts';

/** Names (and bodies that went wrong) of what the chunks say. */
async function read(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const heard: string[] = [];
  const body = async function* (): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  };
  try {
    for await (const { type, object } of parseWatch(body())) heard.push(`${type} ${object.metadata.name}`);
  } catch (error) {
    expect(error).instanceOf(WatchParseError);
    heard.push((error as Error).message);
  }
  return heard;
}

describe('watch stream', () => {
  it('joins what the network cut, inside a line and inside a character', async () => {
    const bytes = Buffer.from(event('ADDED', widget('größe', '1')) + event('MODIFIED', widget('b', '2')));
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(await read(bytes.subarray(0, cut), bytes.subarray(cut)), `${cut}`).eql(['ADDED größe', 'MODIFIED b']);
    }
  });

  it('passes over empty lines', async () => {
    expect(await read(`\n${event('ADDED', widget('a', '1'))}\n`)).eql(['ADDED a']);
  });

  it('ends with an error where anything is not an event, and never quotes it', async () => {
    const first = event('ADDED', widget('a', '1'));
    for (const bad of [
      '{"secret',
      '[]\n',
      'null\n',
      event('SECRET', widget('b', '2')),
      event('ADDED', { secret: 1 }),
    ]) {
      const heard = await read(first, bad);
      expect(heard[0]).equal('ADDED a');
      expect(heard[1], bad).match(/^(a watch event|the watch stream) /);
      expect(heard[1]).not.contain('ecret');
    }
    expect(await read(first, Buffer.from([0xff, 0xfe]))).eql(['ADDED a', 'the watch stream is not UTF-8']);
  });

  it('does not collect a line without end', async () => {
    const mebibyte = 'x'.repeat(1_024 * 1_024);
    const heard = await read(...Array.from({ length: 18 }, () => mebibyte));
    expect(heard).eql(['a watch event is larger than 16 MiB']);
  });
});
