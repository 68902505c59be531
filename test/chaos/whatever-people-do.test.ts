import { expect } from 'chai';
import { type Flow, graph, PeopleFixture } from '../fixtures/chaos/people-fixture.ts';
import { workspaceKey } from '../tools/tool-calls.ts';
import { dice, tellSeed, times } from './seed.ts';

const MINUTE = 60_000;
const PEOPLE = times(12, 60);

describe('chaos: nobody is messaged twice, whatever people do meanwhile', function () {
  this.timeout(1_800_000);
  let fixture: PeopleFixture;
  beforeEach(async () => {
    fixture = await PeopleFixture.open();
    fixture.newPeople(PEOPLE);
  });
  afterEach(async function () {
    tellSeed.call(this);
    await fixture.close();
  });

  it('re-trigger, move back, reorder, migrate, re-import, merge, two workspaces, two senders, delete and re-create', async () => {
    const acme = await fixture.makeFlow('acme');
    const rival = await fixture.makeFlow('rival');
    await fixture.importPeople(acme, (id) => id);
    await fixture.importPeople(rival, (id, index) => (index % 2 === 0 ? id : ''));
    await fixture.trigger(acme);
    for (const ws of ['acme', 'rival']) await fixture.openEngine(ws);
    const { clock } = fixture.tools.cluster;
    const random = dice('people');
    const shuffled = (): number[] =>
      [0, 1, 2, 3]
        .map((index) => [random(), index] as const)
        .sort(([a], [b]) => a - b)
        .map(([, index]) => index);
    const deeds: Record<string, () => Promise<void>> = {
      retrigger: () => fixture.trigger(acme),
      'move back': () => fixture.control(acme, 'move', random() < 0.5 ? 'one' : 'ask'),
      'stop and retrigger': async () => {
        await fixture.control(acme, 'stop');
        await fixture.trigger(acme);
      },
      'reorder by kubectl': () => fixture.applyGraph(acme, shuffled()),
      're-import in another spelling': () =>
        fixture.importPeople(acme, (id) => `https://www.linkedin.com/in/${id.toUpperCase()}/?x=1`),
      'merge identities': () => fixture.importPeople(rival, (id) => id),
      'the other workspace': () => fixture.trigger(rival),
      'delete and re-create': async () => {
        await fixture.deleteFlow(acme);
        await fixture.applyGraph(acme, [0, 1, 2, 3]);
        await fixture.trigger(acme);
      },
    };
    const done: string[] = [];
    const names = Object.keys(deeds);
    for (let turn = 0; turn < times(30, 400); turn++) {
      await fixture.work();
      clock.at = clock.now() + Math.round((5 + random() * 60) * MINUTE);
      if (random() < 0.4) continue;
      const name =
        done.length < names.length ? (names[done.length] ?? '') : (names[Math.floor(random() * names.length)] ?? '');
      done.push(name);
      await deeds[name]?.();
    }
    await fixture.pass(200);
    expect(new Set(done), 'everything was done').to.deep.equal(new Set(names));
    fixture.judge(done.join(', '));
  });
});

describe('chaos: nobody is messaged twice, and nobody left out, when', function () {
  this.timeout(240_000);
  let fixture: PeopleFixture;
  before(async () => {
    fixture = await PeopleFixture.open();
    for (const ws of ['acme', 'rival']) await fixture.openEngine(ws);
  });
  after(() => fixture.close());

  const call = <T = object>(name: string, input: object): Promise<T> =>
    fixture.tools.call<T>(name, input, workspaceKey('acme'));
  const senders = ({ workflowId }: Flow, networkAccountIds: string[]): Promise<unknown> =>
    call('svc_update_workflow', { workflowId, networkAccountIds });
  const again = (flow: Flow): Promise<void> => fixture.trigger(flow);

  /** Done while some have the first text and nobody the second. */
  const deeds: Record<string, (flow: Flow) => Promise<unknown>> = {
    'a workflow is triggered again': again,
    'runs are moved back': (flow) => fixture.control(flow, 'move', 'ask'),
    'a graph is edited and those in it migrate': async ({ workflowId }) => {
      const edited = graph('acme');
      const nap = { nodeId: 'nap', nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 10 * MINUTE } };
      const longer = {
        nodes: [...edited.nodes, nap],
        edges: [...edited.edges.slice(0, 2), { sourceIndex: 2, targetIndex: 4 }, { sourceIndex: 4, targetIndex: 3 }],
      };
      await call('svc_update_workflow', { workflowId, graph: longer, inFlight: 'migrate' });
    },
    'people are imported again in another spelling': async (flow) => {
      await fixture.importPeople(flow, (id) => `https://www.linkedin.com/in/${id.toUpperCase()}/?x=1`);
      await again(flow);
    },
    'another workspace writes to them through the same account': async () => {
      const rival = await fixture.makeFlow('rival');
      await fixture.importPeople(rival, (id) => id);
      await fixture.trigger(rival);
    },
    'a workflow gets a second sender': async (flow) => {
      await senders(flow, fixture.accounts);
      await again(flow);
    },
    'an account is replaced by another': async (flow) => {
      await senders(flow, fixture.accounts.slice(1));
      await again(flow);
    },
    'two identities of a person turn out to be one': async () => {
      const rival = await fixture.makeFlow('rival');
      await fixture.importPeople(rival, () => '');
      await fixture.trigger(rival);
      await fixture.importPeople(rival, (id) => id);
      await fixture.trigger(rival);
    },
    'a graph is read and written back': async (flow) => {
      const { workflow } = await call<{ workflow: { graph: object } }>('svc_get_workflow', {
        workflowId: flow.workflowId,
      });
      await call('svc_update_workflow', { workflowId: flow.workflowId, graph: workflow.graph, inFlight: 'migrate' });
      await again(flow);
    },
    'kubectl lists the nodes of a graph in another order': async (flow) => {
      await fixture.applyGraph(flow, [3, 1, 0, 2]);
      await again(flow);
    },
    'a workflow is deleted and made again': async (flow) => {
      await fixture.deleteFlow(flow);
      await fixture.applyGraph(flow, [0, 1, 2, 3]);
      await again(flow);
    },
  };

  for (const [index, [what, deed]] of Object.entries(deeds).entries()) {
    it(what, async () => {
      fixture.newPeople(3, `someone${index}`);
      const flow = await fixture.makeFlow('acme');
      await senders(flow, fixture.accounts.slice(0, 1));
      await fixture.importPeople(flow, (id) => id);
      await again(flow);
      const received = (): string[] =>
        fixture.network.received
          .filter((one) => one.kind === 'message' && one.publicId.toLowerCase().startsWith(`someone${index}-`))
          .map((one) => one.text ?? '');
      for (let step = 0; step < 20 && received().length === 0; step++) await fixture.pass(1);
      expect(received().length, 'it is done while texts are going out').to.be.within(1, 3);
      await deed(flow);
      await fixture.pass(30);
      fixture.judge(what);
      expect(received().filter((text) => text.startsWith('acme one'))).to.have.length(3);
    });
  }
});
