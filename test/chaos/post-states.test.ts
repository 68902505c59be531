import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type ContentWorld, MINUTE, openContentWorld } from '../fixtures/content/content-world.ts';
import { beFound, comeTime, type Deed, doDeed, type PostModel } from '../fixtures/content/post-model.ts';
import type { ToolUser } from '../tools/mcp-tools.ts';
import { dice, SEED, times } from './seed.ts';

/** Sequences of deeds, each of one post, and how long they are. */
const SEQUENCES = times(6, 300);
const DEEDS = 20;

// Each deed is done through an MCP client and in the model; then both must tell the same.
describe(`chaos: posts stand as the catalog says, whatever members do in whatever order (CHAOS_SEED=${SEED})`, function () {
  this.timeout(times(120_000, 3_600_000));
  let world: ContentWorld;
  /** Members by their user ids. */
  const members = new Map<string, ToolUser>();
  before(async () => {
    world = await openContentWorld();
    for (let n = 0; n < 3; n++) {
      const user = await world.tools.as({ memberOf: ['acme'] });
      const { user: own } = await user.call<{ user: { id: string } }>('svc_whoami');
      members.set(own.id, user);
    }
  });
  after(() => world.stop());

  const random = dice('post-states');
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const soon = (): number => world.now() + (1 + Math.floor(random() * 60)) * MINUTE;
  const iso = (time: number): string => new Date(time).toISOString();

  /** Puts other bytes in the place of the medium's, as another answer of its address would. @returns their hash */
  async function otherBytes(contentPostId: string): Promise<string> {
    const data = Buffer.from(`picture ${randomUUID()}`);
    const hash = createHash('sha256').update(data).digest('hex');
    await world.tools.force(
      `insert into content_medium (id, workspace_id, post_id, place, url, state, mime, bytes, sha256)
       values ($1, 'acme', $2, 0, 'https://media.example/a.png', 'ready', 'image/png', $3, $4)
       on conflict (post_id, place) do update set bytes = excluded.bytes, sha256 = excluded.sha256`,
      [randomUUID(), contentPostId, data.length, hash],
    );
    await world.tools.force(
      `insert into content_chunk (medium_id, workspace_id, place, data)
       select id, workspace_id, 0, $2 from content_medium where post_id = $1
       on conflict (medium_id, place) do update set data = excluded.data`,
      [contentPostId, data],
    );
    return hash;
  }

  function randomDeed(post: PostModel): Deed {
    const [who] = pick([...members]);
    const approver = random() < 0.15 ? { who: 'key', isMember: false } : { who, isMember: true };
    const expected = random() < 0.3 ? null : random() < 0.15 ? post.version + 1 : post.version;
    return pick<Deed>([
      { kind: 'edit', who },
      { kind: 'wish', at: soon() },
      { kind: 'submit' },
      { kind: 'submit' },
      { kind: 'approve', ...approver, expected },
      { kind: 'approve', ...approver, expected },
      { kind: 'approve', ...approver, expected },
      { kind: 'reject' },
      { kind: 'schedule', at: soon() },
      { kind: 'schedule', at: soon() },
      { kind: 'unschedule' },
      { kind: 'publish' },
      { kind: 'retry' },
      ...(random() < 0.1 ? [{ kind: 'delete' } as const] : []),
    ]);
  }

  /** The call that does a deed. */
  function callOf(deed: Deed, text: string): [tool: string, input: object] {
    if (deed.kind === 'edit') return ['svc_update_content_post', { text }];
    if (deed.kind === 'wish') return ['svc_update_content_post', { scheduledAt: iso(deed.at) }];
    if (deed.kind === 'submit') return ['svc_submit_content_for_approval', {}];
    if (deed.kind === 'approve')
      return ['svc_approve_content_post', deed.expected === null ? {} : { expectedVersion: deed.expected }];
    if (deed.kind === 'reject') return ['svc_reject_content_post', { reason: 'Not this' }];
    if (deed.kind === 'schedule') return ['svc_schedule_content_post', { scheduledAt: iso(deed.at) }];
    return [`svc_${deed.kind}_content_post`, {}];
  }

  const demand = (to: boolean): Promise<unknown> =>
    world.tools.force(
      `update workspace set settings = settings || jsonb_build_object('contentApprovalRequired', $1::boolean) where id = 'acme'`,
      [to],
    );

  /** A post, how it stands by the model, and what was done with it. */
  interface Story {
    id: string;
    post: PostModel;
    maker: ToolUser;
    /** What it says; an edit changes the end. */
    subject: string;
    demanded: boolean;
    done: string[];
  }

  async function begin(number: number): Promise<Story> {
    const [first, maker] = pick([...members]);
    const subject = `Post ${number} of ${SEED}:`;
    // An account of its own: those of others have used up its budget.
    const networkAccountId = await world.tools.account('acme');
    const unpaced = `pacing = '{"minGapSeconds": 0, "maxGapSeconds": 0}'`;
    await world.tools.force(`update network_account set ${unpaced} where id = $1`, [networkAccountId]);
    const made = { workspaceId: 'acme', text: subject, networkAccountId };
    const { contentPostId: id } = await maker.call<{ contentPostId: string }>('svc_create_content_post', made);
    const medium = await otherBytes(id);
    const post: PostModel = {
      ...{ state: 'draft', approved: false, version: 1, approvedVersion: null, medium, approvedMedium: null },
      ...{ decider: null, authors: new Set([first]), failure: null, publishing: false, time: null },
    };
    const demanded = random() < 0.7;
    await demand(demanded);
    return { id, post, maker, subject, demanded, done: [] };
  }

  /** What the world does. @returns its name */
  const HAPPENINGS: readonly [chance: number, happens: (story: Story) => Promise<string>][] = [
    [0.06, (story) => timeComes(story, false)],
    [0.06, (story) => timeComes(story, true)],
    [
      0.06,
      async ({ post }) => {
        if (post.publishing) await world.play();
        beFound(post);
        return 'what went out is looked for';
      },
    ],
    [
      0.04,
      async (story) => {
        story.post.medium = await otherBytes(story.id);
        return 'its medium has other bytes';
      },
    ],
    [
      0.06,
      async (story) => {
        story.demanded = !story.demanded;
        await demand(story.demanded);
        return story.demanded ? 'approvals are demanded' : 'approvals are not demanded';
      },
    ],
  ];

  async function timeComes({ post, demanded }: Story, lost: boolean): Promise<string> {
    if (post.state === 'scheduled') world.at(Math.max(world.now(), post.time ?? 0) + MINUTE);
    await world.control('faults', lost ? [{ action: 'post', kind: 'lost_answer', rate: 1 }] : []);
    await world.handle.engine.actions.round();
    await world.handle.engine.settle();
    await world.control('faults', []);
    comeTime(post, { demanded, now: world.now() }, lost);
    return lost ? 'its time comes, and the answer is lost' : 'its time comes';
  }

  async function doOne({ id: contentPostId, post, maker, subject, demanded, done }: Story): Promise<void> {
    const deed = randomDeed(post);
    const [tool, input] = callOf(deed, `${subject} ${done.length}`);
    const who = 'who' in deed ? (members.get(deed.who) ?? world.acme) : maker;
    done.push(JSON.stringify(deed));
    const refusal = doDeed(post, deed, { demanded, now: world.now() });
    if (!refusal) await who.call(tool, { contentPostId, ...input });
    else expect(await who.refusal(tool, { contentPostId, ...input }), saidOf(done)).to.match(refusal);
  }
  const saidOf = (done: readonly string[]): string => `${done.join('\n')}\nCHAOS_SEED=${SEED}`;

  async function sequence(number: number): Promise<PostModel['state']> {
    const story = await begin(number);
    const { id, post, done } = story;
    for (let n = 0; n < DEEDS && post.state !== 'gone'; n++) {
      let roll = random();
      const happens = HAPPENINGS.find(([chance]) => {
        roll -= chance;
        return roll < 0;
      });
      if (happens) done.push(await happens[1](story));
      else await doOne(story);
      await compare(id, post, saidOf(done));
    }
    await world.play();
    beFound(post);
    const copies = (await world.posted()).filter((one) => one.text.startsWith(`${story.subject}`)).length;
    if (post.state === 'published') expect(copies, saidOf(done)).to.equal(1);
    else expect(copies, saidOf(done)).to.be.at.most(1);
    // What was due went out now, or failed.
    return post.state;
  }

  async function compare(contentPostId: string, post: PostModel, said: string): Promise<void> {
    if (post.state === 'gone') {
      expect(await world.acme.refusal('svc_get_content_post', { contentPostId }), said).to.match(/was not found/);
      return;
    }
    const shown = await world.get(contentPostId);
    const { state, approved, version, publishing } = shown;
    const failure = shown.failure?.code ?? null;
    expect({ state, approved, version, publishing, failure }, said).to.deep.equal({
      ...{ state: post.state, approved: post.approved, version: post.version },
      ...{ publishing: post.publishing, failure: post.failure },
    });
  }

  it(`${SEQUENCES} posts, ${DEEDS} deeds each`, async () => {
    const ends = new Map<string, number>();
    for (let number = 0; number < SEQUENCES; number++) {
      const state = await sequence(number);
      ends.set(state, (ends.get(state) ?? 0) + 1);
    }
    console.log(`      ${[...ends].map(([state, count]) => `${state}: ${count}`).join(', ')}`);
  });
});
