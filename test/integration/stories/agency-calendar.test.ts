import { expect } from 'chai';
import { type ContentWorld, HOUR, MINUTE, openContentWorld } from '../../fixtures/content/content-world.ts';
import { tellWorkspace } from '../../fixtures/tell-workspace.ts';
import type { ToolUser } from '../../tools/mcp-tools.ts';

/** Tuesdays and Thursdays at nine in Berlin; the clocks go forward on 29 March 2026. */
const DAYS = ['03-03', '03-05', '03-10', '03-12', '03-17', '03-19', '03-24', '03-26', '03-31', '04-02'];
const LAST_OF_WINTER = '03-26';
/** When nobody was there, and when the account was not logged in. */
const [OUTAGE, EXPIRED] = ['03-12', '03-19'];
const BERLIN = 'Europe/Berlin';

const nine = (day: string): number => Date.parse(`2026-${day}T09:00:00${day <= LAST_OF_WINTER ? '+01:00' : '+02:00'}`);
const iso = (time: number): string => new Date(time).toISOString();

interface Planned {
  day: string;
  id: string;
  text: string;
}

// What an agency's client sees: the posts that they approved, at nine, each once, and word of each that did not go out.
describe('story: a month of an agency’s calendar', function () {
  this.timeout(180_000);
  let world: ContentWorld;
  let author: ToolUser;
  let [anna, ben]: ToolUser[] = [];
  const planned: Planned[] = [];

  before(async () => {
    world = await openContentWorld();
    author = await world.tools.as({ memberOf: ['acme'] });
    anna = await world.tools.as({ memberOf: ['acme'] });
    ben = await world.tools.as({ memberOf: ['acme'] });
    await world.tools.force(`update network_account set timezone = $2 where id = $1`, [world.accountId, BERLIN]);
    await world.tools.force(
      `update workspace set settings = settings || '{"contentApprovalRequired": true}' where id = 'acme'`,
    );
  });
  after(() => world.stop());

  const call = <T>(user: ToolUser | undefined, tool: string, input: object): Promise<T> =>
    (user as ToolUser).call<T>(tool, input);
  const stateOf = async (day: string): Promise<string> => {
    const { state, failure } = await world.get(planned.find((one) => one.day === day)?.id ?? '');
    return failure ? `${state}: ${failure.code}` : state;
  };
  /** The executor is there at a time, and again when the post is read back. */
  const live = async (time: number): Promise<void> => {
    world.at(time);
    await world.play();
    world.at(time + 3 * MINUTE);
    await world.play();
  };

  it('is written in a morning, and each post is approved by one of two who did not write it', async () => {
    for (const [n, day] of DAYS.entries()) {
      const text = `${day}: what we learned this week, told in a few words.`;
      const wish = { scheduledAt: `2026-${day}T09:00:00` };
      const made = { workspaceId: 'acme', text, networkAccountId: world.accountId, ...wish };
      const { contentPostId: id } = await call<{ contentPostId: string }>(author, 'svc_create_content_post', made);
      await call(author, 'svc_submit_content_for_approval', { contentPostId: id });
      planned.push({ day, id, text });
      // Ben sends the third back; it comes again with other words, which Anna reads.
      if (n === 2) await call(ben, 'svc_reject_content_post', { contentPostId: id, reason: 'No numbers, please' });
      else await call(n % 2 ? anna : ben, 'svc_approve_content_post', { contentPostId: id });
    }
    const sentBack = planned[2] as Planned;
    sentBack.text = `${sentBack.day}: the same without numbers.`;
    const edit = { contentPostId: sentBack.id, text: sentBack.text };
    await call(author, 'svc_update_content_post', edit);
    await call(author, 'svc_submit_content_for_approval', { contentPostId: sentBack.id });
    const read = { contentPostId: sentBack.id, expectedVersion: 2 };
    expect(await author.refusal('svc_approve_content_post', read)).to.match(/does not approve it/);
    await call(anna, 'svc_approve_content_post', read);
    for (const { day, id } of planned)
      expect(await world.get(id), day).to.include({ state: 'scheduled', scheduledAt: iso(nine(day)) });
  });

  it('goes out at nine of Berlin’s clocks, each once, whatever happens meanwhile', async () => {
    for (const day of DAYS) {
      if (day === OUTAGE) {
        // Nobody was there for ten hours.
        await live(nine(day) + 10 * HOUR);
        expect(await stateOf(day)).to.equal('scheduled: missed');
        await call(author, 'svc_retry_content_post', { contentPostId: planned.find((one) => one.day === day)?.id });
        await live(world.now());
      } else if (day === EXPIRED) {
        await world.tools.force(`update network_account set status = 'credentials_expired' where id = $1`, [
          world.accountId,
        ]);
        await live(nine(day));
        expect(await stateOf(day), 'it waits for the login').to.equal('scheduled');
        await live(nine(day) + 7 * HOUR);
        expect(await stateOf(day)).to.equal('scheduled: missed');
        const id = planned.find((one) => one.day === day)?.id;
        expect(await author.refusal('svc_retry_content_post', { contentPostId: id })).to.match(/credentials_expired/);
        await world.tools.force(`update network_account set status = 'ok' where id = $1`, [world.accountId]);
        await call(author, 'svc_retry_content_post', { contentPostId: id });
        await live(world.now());
      } else await live(nine(day));
      expect(await stateOf(day), day).to.equal('published');
    }
    const posted = await world.posted();
    expect(posted.map(({ text }) => text)).to.deep.equal(planned.map(({ text }) => text));
    const late = posted.filter(({ at }, n) => Date.parse(at) - nine(DAYS[n] ?? '') > MINUTE);
    expect(late.map(({ text }) => text.slice(0, 5))).to.deep.equal([OUTAGE, EXPIRED]);
  });

  it('is told: what was to be approved, what went out and was seen there, and what did not go out', async () => {
    for (const { id, day } of planned) expect((await world.get(id)).verifiedAt, day).to.be.a('string');
    const [first, outage] = [planned[0], planned.find(({ day }) => day === OUTAGE)];
    expect(await world.told(first?.id ?? '')).to.deep.equal([
      'content.submitted',
      'content.approved',
      'content.published',
    ]);
    expect(await world.told(outage?.id ?? '')).to.include.members(['content.failed', 'content.published']);
    await tellWorkspace(world.tools.cluster.db, 'acme', world.now());
    const failures = await world.tools.rows<{ events: number }>(
      `select events from notification where workspace_id = 'acme' and kind = 'content.failed' limit 1`,
    );
    expect(failures, 'of the outage and of the login, in one').to.deep.equal([{ events: 2 }]);
    const { entries } = await call<{ entries: { at: string; state: string; clash: boolean }[] }>(
      author,
      'svc_get_content_calendar',
      { workspaceId: 'acme', fromDate: '2026-03-01T00:00:00Z', toDate: '2026-04-05T00:00:00Z' },
    );
    expect(entries.map(({ state, clash }) => `${state} ${clash}`)).to.deep.equal(DAYS.map(() => 'published false'));
  });
});
