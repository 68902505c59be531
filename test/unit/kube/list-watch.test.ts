import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { KubeClient } from '../../../pkg/kube/client.ts';
import { Informer, type InformerOptions } from '../../../pkg/kube/informer.ts';
import type { SpecObject } from '../../../pkg/kube/types.ts';
import {
  answer,
  clientFor,
  drive,
  event,
  fail,
  type Handler,
  listOf,
  metric,
  type ScriptedServer,
  scriptedServer,
  startWatch,
  testRuntime,
  until,
  WIDGETS,
  widget,
} from '../../fixtures/kube/support.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

interface Setup {
  clock: FakeClock;
  runtime: ReturnType<typeof testRuntime>;
  server: ScriptedServer;
  client: KubeClient;
  informer: Informer<SpecObject>;
  lists: () => number;
  watches: () => number;
  stop: () => Promise<void>;
}

describe('list and watch', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const follow = async (handler: Handler, extra: Partial<InformerOptions<SpecObject>> = {}): Promise<Setup> => {
    const clock = new FakeClock();
    const runtime = testRuntime(clock);
    const server = await scriptedServer(handler);
    const client = clientFor(server, runtime, { qps: 1_000, burst: 1_000 });
    const informer = new Informer<SpecObject>({ client, resource: WIDGETS, runtime, ...extra });
    const abort = new AbortController();
    const running = informer.start(abort.signal);
    const stop = async (): Promise<void> => {
      abort.abort(new Error('test over'));
      await running;
      await client.close();
      await server.close();
    };
    stops.push(stop);
    const lists = (): number => server.requests.filter((seen) => !seen.watch).length;
    const watches = (): number => server.requests.filter((seen) => seen.watch).length;
    return { clock, runtime, server, client, informer, lists, watches, stop };
  };

  /** Lists answer from `items`; the n-th watch (from 1) is given to `watch`. */
  const script = (items: () => SpecObject[], watch: (nth: number, response: ServerResponse) => void): Handler => {
    let nth = 0;
    return (seen, response) => {
      if (seen.watch) watch(++nth, response);
      else answer(response, listOf(items(), '10'));
    };
  };

  it('never goes deaf: lists that fail are tried again until one succeeds', async () => {
    let lists = 0;
    const s = await follow((seen, response) => {
      if (seen.watch) return startWatch(response);
      if (++lists <= 7) return fail(response, 500, 'InternalError');
      return answer(response, listOf([widget('a', '1')], '10'));
    });
    await drive(s.clock, () => s.informer.hasSynced && s.watches() === 1);
    expect(s.informer.store.keys()).eql(['ns/a']);
  });

  it('never goes deaf: a watch that is refused or dropped goes on from where it was', async () => {
    const s = await follow(
      script(
        () => [],
        (nth, response) => {
          if (nth === 1) return fail(response, 500, 'InternalError');
          if (nth === 2) return fail(response, 429, 'TooManyRequests');
          if (nth === 3) return response.destroy();
          if (nth === 4) {
            startWatch(response, event('ADDED', widget('a', '11')));
            setImmediate(() => response.destroy());
            return;
          }
          startWatch(response, event('ADDED', widget('b', '12')));
        },
      ),
    );
    await drive(s.clock, () => s.informer.store.size === 2);
    expect(s.lists()).equal(1);
    const from = s.server.requests.filter((seen) => seen.watch).map((seen) => seen.query.get('resourceVersion'));
    expect(from[0]).equal('10');
    expect(from.at(-1)).equal('11');
  });

  it('lists again after 410, as an HTTP status and inside the stream', async () => {
    const s = await follow(
      script(
        () => [widget('a', '1')],
        (nth, response) => {
          const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
          if (nth === 1) fail(response, 410, 'Expired');
          else if (nth === 2) startWatch(response, event('ERROR', gone));
          else startWatch(response);
        },
      ),
    );
    await drive(s.clock, () => s.watches() === 3);
    expect(s.lists()).equal(3);
    expect(await metric(s.runtime.registry, 'outrider_informer_relists_total', { reason: 'expired' })).equal(2);
  });

  it('lists at once after 410 from a watch that lived, and waits after one that never did', async () => {
    const gone = event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' });
    const s = await follow(
      script(
        () => [],
        (nth, response) => {
          if (nth === 1) startWatch(response, event('ADDED', widget('a', '11')), gone);
          else startWatch(response, gone);
        },
      ),
    );
    await until(() => s.lists() === 2 && s.watches() === 2 && s.clock.sleeping === 2);
    await drive(s.clock, () => s.lists() === 3, 100);
    expect(s.clock.now()).greaterThan(new FakeClock().now());
  });

  it('lists again when an event cannot be parsed or the stream ends inside one', async () => {
    const s = await follow(
      script(
        () => [],
        (nth, response) => {
          if (nth === 1) startWatch(response, 'not json\n');
          else if (nth === 2) response.end('{"type":"ADDED","obj');
          else startWatch(response);
        },
      ),
    );
    await drive(s.clock, () => s.watches() === 3);
    expect(s.lists()).equal(3);
  });

  it('asks for bookmarks and a random time-out, and goes on from a bookmark', async () => {
    let first: ServerResponse | undefined;
    const s = await follow(
      script(
        () => [],
        (nth, response) => {
          if (nth === 1) first = response;
          startWatch(response, nth === 1 ? event('BOOKMARK', widget('', '77')) : '');
        },
      ),
    );
    await drive(s.clock, () => s.watches() === 1);
    first?.end();
    await drive(s.clock, () => s.watches() === 2);
    const [one, two] = s.server.requests.filter((seen) => seen.watch).map((seen) => seen.query);
    expect(one?.get('allowWatchBookmarks')).equal('true');
    // Between 300 and 600; the randomness of the test is 0.5.
    expect(one?.get('timeoutSeconds')).equal('450');
    expect(two?.get('resourceVersion')).equal('77');
    expect(s.lists()).equal(1);
    expect(s.informer.store.size).equal(0);
  });

  it('does not poll a server that ends every watch at once', async () => {
    const s = await follow(
      script(
        () => [],
        (_nth, response) => response.end(),
      ),
    );
    await until(() => s.watches() === 1 && s.clock.sleeping === 2);
    await s.clock.advance(1_000);
    expect(s.watches()).equal(1);
    await drive(s.clock, () => s.watches() === 2, 100);
  });

  it('survives a handler that throws', async () => {
    const heard: string[] = [];
    const s = await follow(
      script(
        () => [widget('a', '1')],
        (_nth, response) =>
          startWatch(response, event('ADDED', widget('b', '11')), event('DELETED', widget('a', '12'))),
      ),
    );
    s.informer.store.addHandler({
      onAdd: () => {
        throw new Error('bad object');
      },
      onUpdate: () => undefined,
      onDelete: (object) => heard.push(object.metadata.name),
    });
    await until(() => heard.length === 1);
    expect(s.informer.store.keys()).eql(['ns/b']);
    expect(await metric(s.runtime.registry, 'outrider_informer_handler_errors_total', { resource: 'widgets' })).equal(
      2,
    );
  });

  it('leaves no watch behind when stopped while connecting', async () => {
    const s = await follow((seen, response) => {
      if (!seen.watch) answer(response, listOf([], '10'));
    });
    await until(() => s.watches() === 1);
    await s.stop();
    stops.pop();
    await until(() => s.server.openWatches() === 0);
    expect(s.watches()).equal(1);
  });

  it('ends at once when stopped while a list hangs', async () => {
    const s = await follow(() => undefined);
    await until(() => s.lists() === 1);
    await s.stop();
    stops.pop();
    expect(s.informer.hasSynced).equal(false);
  });

  it('resolves `synced` only after the first list, and tells first objects from new ones', async () => {
    let release: (() => void) | undefined;
    const seenAdds: [string, boolean][] = [];
    const s = await follow((seen, response) => {
      if (seen.watch) startWatch(response, event('ADDED', widget('b', '11')));
      else
        release = () => {
          answer(response, listOf([widget('a', '1')], '10'));
        };
    });
    s.informer.store.addHandler({
      onAdd: (object, initial) => seenAdds.push([object.metadata.name, initial]),
      onUpdate: () => undefined,
      onDelete: () => undefined,
    });
    await until(() => release !== undefined);
    expect(s.informer.hasSynced).equal(false);
    release?.();
    await s.informer.synced;
    await until(() => seenAdds.length === 2);
    expect(seenAdds).eql([
      ['a', true],
      ['b', false],
    ]);
  });

  it('notices after a relist what was deleted meanwhile', async () => {
    let items = [widget('a', '1'), widget('b', '2')];
    const gone: string[] = [];
    const s = await follow(
      script(
        () => items,
        (nth, response) => {
          items = [widget('b', '2')];
          if (nth === 1) fail(response, 410, 'Expired');
          else startWatch(response);
        },
      ),
    );
    s.informer.store.addHandler({
      onAdd: () => undefined,
      onUpdate: () => undefined,
      onDelete: (object) => gone.push(object.metadata.name),
    });
    await drive(s.clock, () => gone.length > 0);
    expect(gone).eql(['a']);
    expect(s.informer.store.keys()).eql(['ns/b']);
  });

  it('keeps of a list page by page what it is told to keep, and nothing is gone until the last page is there', async () => {
    const gone: string[] = [];
    const asked: (string | null)[] = [];
    let between: string[] = [];
    const pages = [
      () => listOf([widget('a', '1'), widget('b', '1')], '10'),
      () => listOf([widget('a', '2')], '20', 'more'),
      () => {
        between = s.informer.store.keys();
        return listOf([widget('c', '3')], '20');
      },
    ];
    const s = await follow(
      (seen, response) => {
        if (seen.watch) return asked.length === 1 ? fail(response, 410, 'Expired') : startWatch(response);
        asked.push(seen.query.get('continue'));
        return answer(response, pages[asked.length - 1]?.());
      },
      {
        keep: ({ apiVersion, kind, metadata: { name, namespace, uid = '', resourceVersion = '' } }) => {
          const metadata = { name, namespace: namespace ?? '', uid, resourceVersion };
          return { apiVersion, kind, metadata };
        },
      },
    );
    s.informer.store.addHandler({
      onAdd: () => undefined,
      onUpdate: () => undefined,
      onDelete: (object) => gone.push(object.metadata.name),
    });
    await drive(s.clock, () => gone.length > 0 && s.watches() === 2);
    expect(asked).eql([null, null, 'more']);
    expect(between).eql(['ns/a', 'ns/b']);
    expect(gone).eql(['b']);
    expect(s.informer.store.keys().sort()).eql(['ns/a', 'ns/c']);
    expect(s.informer.store.get('ns/a')?.metadata).eql({
      name: 'a',
      namespace: 'ns',
      uid: 'uid-a',
      resourceVersion: '2',
    });
  });

  it('a list whose token expires between two pages is begun anew, and what only its first try had is gone', async () => {
    let asked = 0;
    const s = await follow((seen, response) => {
      if (seen.watch) return startWatch(response);
      asked++;
      if (asked === 1) return answer(response, listOf([widget('a', '1')], '10', 'more'));
      if (asked === 2) return fail(response, 410, 'Expired');
      return answer(response, listOf([widget('b', '2')], '11'));
    });
    await s.informer.synced;
    expect(s.informer.store.keys()).eql(['ns/b']);
    expect(asked).equal(3);
  });

  it('watches each of several namespaces with rights in these only', async () => {
    const s = await follow(
      (seen, response) => {
        if (seen.watch) return startWatch(response);
        const namespace = seen.path.split('/')[5] ?? '';
        return answer(response, listOf([widget('a', '1', { namespace, uid: namespace })], '10'));
      },
      { namespaces: ['one', 'two'] },
    );
    await s.informer.synced;
    expect(s.informer.store.keys().sort()).eql(['one/a', 'two/a']);
  });

  it('reports how long it has heard nothing', async () => {
    const s = await follow(
      script(
        () => [],
        (_nth, response) => startWatch(response),
      ),
    );
    await s.informer.synced;
    await s.clock.advance(90_000);
    expect(await metric(s.runtime.registry, 'outrider_informer_staleness_seconds', { resource: 'widgets' })).equal(90);
  });
});
