import { expect } from 'chai';
import { DAY, HOUR } from '../../fixtures/stories/engine-fixture.ts';
import { type DiagnoseFixture, startDiagnoseFixture } from '../../fixtures/tools/diagnose-fixture.ts';

interface Run {
  state: string;
  currentNodeId: string | null;
  nextActionAt: string | null;
  endReason: string | null;
  endedAt: string | null;
}
type Node = { nodeId: string; nodeType: string; config?: object };
/** `from>to`, or `from>to:branch`. */
type Pipeline = { nodes: Node[]; edges: string[] };

const says = (nodeId: string, text = `Hello from ${nodeId}`): Node => ({
  nodeId,
  nodeType: 'network:message',
  config: { textMode: 'static', text },
});
const wait = (nodeId: string, ms: number): Node => ({
  nodeId,
  nodeType: 'flow:wait',
  config: { waitType: 'duration', durationMs: ms },
});
const reply = (nodeId: string, ms: number): Node => ({
  nodeId,
  nodeType: 'network:wait_reply',
  config: { timeoutMs: ms },
});
const end = (nodeId: string): Node => ({ nodeId, nodeType: 'flow:end' });
const if_ = (nodeId: string, field: string, op: string, value?: unknown): Node => ({
  nodeId,
  nodeType: 'flow:condition',
  config: { rules: [{ field, op, ...(value === undefined ? {} : { value }) }] },
});
const row = (...nodes: Node[]): Pipeline => ({
  nodes,
  edges: nodes.slice(1).map((node, index) => `${nodes[index]?.nodeId}>${node.nodeId}`),
});
const review = (onExpire: string): Node => ({
  nodeId: 'check',
  nodeType: 'flow:review',
  config: { expiresAfterMs: 6 * HOUR, onExpire },
});
const split = (...weights: number[]): Node => ({
  nodeId: 'split',
  nodeType: 'flow:split',
  config: { branches: weights.map((weight, index) => ({ name: 'abc'[index], weight })) },
});
const request: Node = { nodeId: 'ask', nodeType: 'network:connection_request' };
const accepted = (ms: number): Node => ({
  nodeId: 'accepted',
  nodeType: 'network:wait_connection',
  config: { timeoutMs: ms },
});

/** What an agency wires together without having read how it is meant. */
const PIPELINES: Record<string, Pipeline> = {
  plain: row(says('one'), end('end')),
  'no end': row(says('one'), wait('pause', DAY), says('two')),
  'a month': row(wait('pause', 31 * DAY), says('one'), end('end')),
  'until the end of a month': row(
    { nodeId: 'pause', nodeType: 'flow:wait', config: { waitType: 'until', untilTime: '2026-03-31T23:59:00Z' } },
    says('one'),
  ),
  'until a day that has passed': row(
    { nodeId: 'pause', nodeType: 'flow:wait', config: { waitType: 'until', untilTime: '2026-01-31T23:59:00Z' } },
    says('one'),
  ),
  'a gap': row(says('one', 'As {{lead:title}}'), says('two')),
  'a gap with a way': {
    nodes: [says('one', 'As {{lead:title}}'), says('two'), end('end')],
    edges: ['one>end', 'one>two:missing_data'],
  },
  'nobody answers': row(says('one'), reply('reply', 5 * DAY)),
  'nobody answers, wired for an answer': {
    nodes: [says('one'), reply('reply', 5 * DAY), says('two')],
    edges: ['one>reply', 'reply>two:replied'],
  },
  answered: {
    nodes: [says('one'), reply('reply', 5 * DAY), says('two'), end('end')],
    edges: ['one>reply', 'reply>two:timed_out', 'reply>end:replied'],
  },
  'even split': {
    nodes: [split(50, 50), says('one'), says('two'), { nodeId: 'join', nodeType: 'flow:join' }, says('three')],
    edges: ['split>one:a', 'split>two:b', 'one>join', 'two>join', 'join>three'],
  },
  'never true': {
    nodes: [if_('is', 'lead.company', 'eq', 'Nowhere'), says('one')],
    edges: ['is>one:true'],
  },
  'a tag that it sets itself': {
    nodes: [
      { nodeId: 'tag', nodeType: 'lead:tag', config: { add: ['warm'] } },
      if_('is', 'lead.tags', 'contains', 'warm'),
      says('one'),
      end('cold'),
    ],
    edges: ['tag>is', 'is>one:true', 'is>cold:false'],
  },
  'excluded at once': row({ nodeId: 'out', nodeType: 'lead:exclude', config: { appliesTo: 'all_outreach' } }),
  'a review that nobody sees': row(review('stop'), says('one')),
  'a review that is skipped': {
    nodes: [review('skip'), says('one'), says('two')],
    edges: ['check>one', 'check>two:expired'],
  },
  'a review that is skipped into nothing': row(review('skip'), says('one')),
  'asks whom it knows': row(request, accepted(3 * DAY), says('one')),
  stranger: row(says('one'), says('two')),
  'never accepted': {
    nodes: [
      request,
      accepted(3 * DAY),
      says('one'),
      { nodeId: 'back', nodeType: 'network:withdraw_request' },
      end('end'),
    ],
    edges: ['ask>accepted', 'accepted>one:accepted', 'accepted>back:timed_out', 'back>end'],
  },
  'no mailbox': row({ nodeId: 'mail', nodeType: 'mail:send', config: { subject: 'Hi', text: 'Hello' } }, says('one')),
  'all at once': row(says('one'), says('two'), says('three')),
};
/** Not connected to the account. */
const STRANGERS = ['stranger', 'never accepted'];

/** When a diagnosis says that something happens by itself, epoch ms; null: it says no time. */
function toldTime(reason: string | null): number | null {
  const told =
    /(?:acts next|goes on without (?:one|that)|the lead stops|goes on by "\w+"|it looks again|it goes on) (\d{4}-\S+?Z)/.exec(
      reason ?? '',
    );
  return told ? Date.parse(told[1] ?? '') : null;
}

/** Reasons that a person understands: what was done last, or why nothing was. */
const UNDERSTOOD = [
  /^ended after .+ \((sent|done|timed_out|false|next)\)$/,
  /^ended after .+ \((not_connected|no_email|already_connected)\): nothing was (sent|asked), /,
  /^ended after .+ \(missing_data\): nothing was sent, lead:\w+ is not known of the lead$/,
  /^ended after .+ \(refused\): the other workflow does not take the lead, /,
  /^the review expired$/,
  /^replied$/,
  /^reached the end$/,
  /^excluded by the workflow$/,
];

// Twenty pipelines that nobody would draw in a manual, by public tools on a clock that is stepped.
describe('story: odd pipelines', function () {
  this.timeout(240_000);
  let fixture: DiagnoseFixture;
  before(async () => {
    fixture = await startDiagnoseFixture();
  });
  after(() => fixture.stop());

  const started = new Map<string, { leadId: string; runId: string }>();
  const make = async (name: string, { nodes, edges }: Pipeline): Promise<string> => {
    const place = new Map(nodes.map((node, index) => [node.nodeId, index + 1]));
    const wired = edges.map((edge) => {
      const [, from = '', to = '', branch] = /^(\w+)>(\w+)(?::(\w+))?$/.exec(edge) ?? [];
      return { sourceIndex: place.get(from), targetIndex: place.get(to), ...(branch ? { branch } : {}) };
    });
    const graph = {
      nodes: [{ nodeType: 'source:manual', nodeId: 'source' }, ...nodes],
      edges: [{ sourceIndex: 0, targetIndex: 1 }, ...wired],
    };
    const made = { campaignId: fixture.campaignId, name, graph };
    const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
    return workflowId;
  };
  const read = async (runId: string): Promise<Run> =>
    (await fixture.acme.call<{ run: Run }>('svc_get_workflow_run', { runId })).run;

  it('each is begun', async () => {
    let people = 0;
    for (const [name, pipeline] of Object.entries(PIPELINES)) {
      const workflowId = await make(name, pipeline);
      const person = `Odd${++people}`;
      const leads = await fixture.people([person]);
      if (STRANGERS.includes(name)) fixture.network.connected.delete(`p-${person.toLowerCase()}`);
      const { runIds } = await fixture.acme.call<{ runIds: string[] }>('svc_trigger_workflow', {
        workflowId,
        leadIds: leads,
      });
      started.set(name, { leadId: leads[0] ?? '', runId: runIds[0] ?? '' });
    }
    await fixture.pass(0);
  });

  it('one answers, and one is away, while the others wait', async () => {
    await fixture.pass(4 * HOUR);
    const person = (name: string): string => `chat-p-odd${Object.keys(PIPELINES).indexOf(name) + 1}`;
    for (const [name, text] of [
      ['answered', 'Sounds good, tell me more.'],
      ['all at once', 'I am out of office until 20 March 2026 and will reply then.'],
    ] as const)
      fixture.network.inbox.push({
        messageId: `of-${name}`,
        chatId: person(name),
        direction: 'in',
        text,
        sentAt: fixture.tools.cluster.clock.now(),
      });
    await fixture.sync();
  });

  interface Told {
    name: string;
    runId: string;
    at: number | null;
    reason: string | null;
    before: Run;
  }
  /** What is said of everybody who is under way. */
  const askAll = async (): Promise<Told[]> => {
    const told: Told[] = [];
    for (const [name, { leadId, runId }] of started) {
      const before = await read(runId);
      if (before.endedAt !== null) continue;
      const { reason } = await fixture.diagnose('lead', leadId);
      told.push({ name, runId, at: toldTime(reason), reason, before });
    }
    return told;
  };
  /** Of those whose time has not come who moved all the same. */
  const tooEarly = async (told: readonly Told[]): Promise<string[]> => {
    const wrong: string[] = [];
    for (const { name, runId, before, reason } of told) {
      const now = await read(runId);
      if (now.state !== before.state || now.currentNodeId !== before.currentNodeId)
        wrong.push(`${name}: ${reason} but before that it is ${now.state} at ${now.currentNodeId} (${now.endReason})`);
    }
    return wrong;
  };
  /** Of those whose time has come who stand as they stood. */
  const tooLate = async (told: readonly Told[], next: number): Promise<string[]> => {
    const wrong: string[] = [];
    for (const { name, runId, at, before, reason } of told) {
      if (at === null || at > next) continue;
      if (JSON.stringify(await read(runId)) === JSON.stringify(before))
        wrong.push(`${name}: ${reason} and nothing happened`);
    }
    return wrong;
  };

  it('what svc_diagnose says of a lead is what happens next', async () => {
    const wrong: string[] = [];
    const { clock } = fixture.tools.cluster;
    for (let step = 0; step < 60; step++) {
      const told = await askAll();
      const times = told.flatMap(({ at }) => (at === null ? [] : [at]));
      if (times.length === 0) break;
      const next = Math.max(clock.now() + 1, Math.min(...times));
      if (next - 2 > clock.now()) {
        await fixture.pass(next - 1 - clock.now());
        wrong.push(...(await tooEarly(told)));
      }
      await fixture.pass(next - clock.now());
      wrong.push(...(await tooLate(told, next)));
    }
    expect(wrong.join('\n')).to.equal('');
  });

  it('a circle of two hand-overs comes to an end, with a reason', async () => {
    const hand = (workflowId: string): Node => ({ nodeId: 'hand', nodeType: 'flow:handoff', config: { workflowId } });
    const first = await make('first', row(says('one'), end('end')));
    const second = await make('second', row(says('two'), hand(first)));
    const graph = { nodes: [{ nodeType: 'source:manual', nodeId: 'source' }, says('one'), hand(second)] };
    const edges = [0, 1].map((sourceIndex) => ({ sourceIndex, targetIndex: sourceIndex + 1 }));
    await fixture.acme.call('svc_update_workflow', { workflowId: first, graph: { ...graph, edges } });
    const [leadId = ''] = await fixture.people(['Circle']);
    await fixture.acme.call('svc_trigger_workflow', { workflowId: first, leadIds: [leadId] });
    for (let hour = 0; hour < 12; hour++) await fixture.pass(HOUR);
    const { runs } = await fixture.acme.call<{ runs: Run[] }>('svc_list_workflow_runs', {
      leadId,
      limit: 100,
      detail: 'full',
    });
    expect(runs.length).to.be.at.most(3);
    expect(fixture.network.received.filter((one) => one.publicId === 'p-circle')).to.have.length(2);
    expect((await fixture.diagnose('lead', leadId)).reason).to.match(/^Run \S+ ended: completed/);
    for (const run of runs.filter((one) => /refused/.test(one.endReason ?? '')))
      expect(
        UNDERSTOOD.some((form) => form.test(run.endReason ?? '')),
        `${run.endReason}`,
      ).to.equal(true);
  });

  it('a graph that leads back to itself is refused, and says where', async () => {
    const nodes = [says('one'), wait('pause', HOUR)];
    expect(
      await make('loop', { nodes, edges: ['one>pause', 'pause>one'] }).catch((error: Error) => error.message),
    ).to.match(/leads back to itself; a graph has no cycles/);
  });

  it('who has ended has a reason that a person understands, and everybody else a tool that goes on', async () => {
    const wrong: string[] = [];
    for (const [name, { leadId, runId }] of started) {
      const run = await read(runId);
      const { reason, nextTool } = await fixture.diagnose('lead', leadId);
      if (run.endedAt === null && nextTool === null) wrong.push(`${name}: ${reason}`);
      if (run.endedAt !== null && !UNDERSTOOD.some((form) => form.test(run.endReason ?? '')))
        wrong.push(`${name}: ${run.endReason}`);
    }
    expect(wrong.join('\n')).to.equal('');
  });
});
