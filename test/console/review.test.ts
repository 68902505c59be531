import { expect } from 'chai';
import { drafting, type Person, somebody } from '../fixtures/console/console-people.ts';
import {
  type ConsolePage,
  type ConsoleStage,
  consoleStage,
  endPages,
  type Member,
  outbox,
} from '../fixtures/console/console-stage.ts';
import { HOUR } from '../fixtures/stories/engine-fixture.ts';

/** Longer than a decision may be taken back. */
const UNDO_MS = 10_500;
/** Longer than a draft settles that took the place of another. */
const SETTLE_MS = 600;
/** Longer than a page that is open leaves its notes alone. */
const GONE_MS = 30_000;

interface Item {
  state: string;
  body: string;
  reason: string | null;
  decidedBy: string | null;
}

describe('the review queue', function () {
  this.timeout(60_000);
  let stage: ConsoleStage;
  let anna: Member;
  let enrol: (who: readonly Person[]) => Promise<string[]>;
  const open: ConsolePage[] = [];
  before(async () => {
    stage = await consoleStage();
    anna = await stage.member();
    enrol = await drafting(stage, 'Hello {{lead:firstName}}, how are the new terminals?');
  });
  afterEach(async function () {
    await endPages(open, this.currentTest);
  });

  const visit = async (path: string, member = anna): Promise<ConsolePage> => {
    const page = await stage.open(member, path);
    open.push(page);
    return page;
  };
  /** People with a draft each. @returns the ids too */
  const waiting = async (count = 1): Promise<{ person: Person; id: string }[]> => {
    const who: Person[] = [];
    for (let one = 0; one < count; one++) who.push(await somebody(stage));
    const ids = await enrol(who);
    // As the queue has them: those of one deadline by their ids.
    const both = who.map((person, place) => ({ person, id: ids[place] ?? '' }));
    return both.sort((a, b) => (a.id < b.id ? -1 : 1));
  };
  const read = async (id: string): Promise<Item> =>
    (await stage.fixture.acme.call<{ reviewItem: Item }>('svc_get_review_item', { reviewItemId: id })).reviewItem;
  const reading = async (page: ConsolePage, { person }: { person: Person }): Promise<void> =>
    page.getByRole('heading', { level: 2, name: person.name }).waitFor();
  /** Another draft is read in the place of this one. */
  const left = async (page: ConsolePage, { person }: { person: Person }): Promise<void> => {
    await page.getByRole('heading', { level: 2, name: person.name }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Approve' }).waitFor();
  };
  const sent = async (page: ConsolePage): Promise<void> => {
    await page.clock.runFor(UNDO_MS);
    await outbox(page).waitFor({ state: 'detached' });
  };
  /** What is approved leaves in its own time: the account has its day's measure. */
  const leaves = async ({ person }: { person: Person }): Promise<void> => {
    for (let times = 0; times < 20 && person.received().length === 0; times++) await stage.fixture.pass(4 * HOUR);
  };
  const none = { person: undefined as unknown as Person, id: '' };

  it('is worked through by keys alone: what is approved leaves ten seconds later, and reaches its person', async () => {
    const [first = none, second = none] = await waiting(2);
    const page = await visit(`review/${first.id}`);
    await reading(page, first);
    await page.keyboard.press('j');
    await reading(page, second);
    await page.keyboard.press('k');
    await reading(page, first);
    await page.clock.runFor(SETTLE_MS);
    await page.keyboard.press('a');
    await outbox(page).getByText(first.person.name).first().waitFor();
    await page.clock.runFor(5_000);
    expect((await read(first.id)).state, 'while it may be taken back').to.equal('pending');
    await sent(page);
    expect(await read(first.id)).to.include({ state: 'approved', decidedBy: anna.email });
    await leaves(first);
    expect(first.person.received()).to.have.length(1);
    expect(page.problems).to.deep.equal([]);
  });

  it('a decision that is taken back was none', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    await page.keyboard.press('a');
    await outbox(page).waitFor();
    await page.keyboard.press('u');
    await outbox(page).waitFor({ state: 'detached' });
    await reading(page, one);
    await page.clock.runFor(UNDO_MS);
    expect((await read(one.id)).state).to.equal('pending');
  });

  it('a key that is held and a double click decide the draft that was read, and no other', async () => {
    const [first = none] = await waiting(2);
    const page = await visit(`review/${first.id}`);
    await reading(page, first);
    // Time stands still: whatever the machine does, the second comes at once.
    await page.clock.pauseAt(await page.evaluate<number>('Date.now() + 1_000'));
    for (let times = 0; times < 5; times++) await page.keyboard.down('a');
    await page.keyboard.up('a');
    await page.clock.runFor(100);
    await left(page, first);
    await page.clock.runFor(100);
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await outbox(page).getByText('Approve:').count()).to.equal(1);
    await page.clock.runFor(SETTLE_MS);
    await page.getByRole('button', { name: 'Approve' }).dispatchEvent('click', { detail: 2 });
    expect(await outbox(page).getByText('Approve:').count()).to.equal(1);
  });

  it('what goes away under the pointer holds up no decision that comes after it', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    await page.keyboard.press('a');
    await outbox(page).hover({ position: { x: 5, y: 5 } });
    await page.clock.runFor(UNDO_MS);
    expect((await read(one.id)).state, 'while somebody is at it').to.equal('pending');
    await page.keyboard.press('u');
    await outbox(page).waitFor({ state: 'detached' });
    await page.mouse.move(5, 300);
    await reading(page, one);
    await page.clock.runFor(SETTLE_MS);
    await page.keyboard.press('a');
    await outbox(page).waitFor();
    await sent(page);
    expect((await read(one.id)).state).to.equal('approved');
  });

  it('a text that lost against another of the same member, from another page, is kept and told', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    await page.keyboard.press('e');
    await page.getByLabel('Text of the draft').fill('Of this page.');
    await page.getByRole('button', { name: 'Approve this text' }).click();
    await outbox(page).waitFor();
    const input = { reviewItemId: one.id, body: 'Of the other page.' };
    expect((await anna.client.call('svc_edit_review_item', input)).status).to.equal(200);
    await page.clock.runFor(UNDO_MS);
    await outbox(page).getByText('not done').waitFor();
    await page.evaluate(
      `history.pushState(null, '', '/console/w/acme/review/${one.id}'); dispatchEvent(new Event('popstate'))`,
    );
    await page.getByRole('alert').getByText('Of this page.').waitFor();
    expect(await read(one.id)).to.include({ state: 'approved', body: 'Of the other page.' });
  });

  it('what one member decided is not made by the next one who signs in there: it waits for them, and what they typed is gone', async () => {
    const [first = none, second = none] = await waiting(2);
    const bob = await stage.member({ name: 'Bob' });
    const page = await visit(`review/${first.id}`);
    await reading(page, first);
    await page.keyboard.press('a');
    await left(page, first);
    await page.getByRole('list', { name: 'Drafts' }).getByRole('link', { name: second.person.name }).click();
    await reading(page, second);
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Text of the draft').fill('What Anna typed.');
    await stage.signIn(page, bob);
    await page.clock.runFor(UNDO_MS);
    await outbox(page).getByText('decided by Anna Berg').waitFor();
    await page.getByRole('button', { name: 'Account of Bob' }).waitFor();
    await page.clock.runFor(UNDO_MS);
    expect((await read(first.id)).state).to.equal('pending');
    expect(await page.getByText('What Anna typed.').count()).to.equal(0);
    expect(await page.getByLabel('Text of the draft').count()).to.equal(0);
    await stage.signIn(page, await stage.again(anna));
    await page.clock.runFor(1_000);
    await page.getByRole('button', { name: 'Account of Anna Berg' }).waitFor();
    await sent(page);
    expect(await read(first.id)).to.include({ state: 'approved', decidedBy: anna.email });
  });

  it('a rejection wants a reason, and says what becomes of the lead', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await dialog.getByText('Say why').waitFor();
    await dialog.getByLabel('Why').fill('Wrong person');
    await dialog.getByLabel('Stop with this lead').check();
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await sent(page);
    expect(await read(one.id)).to.include({ state: 'rejected', reason: 'Wrong person' });
    await stage.fixture.pass(HOUR);
    expect(one.person.received()).to.deep.equal([]);
  });

  it('a text that is changed is what reaches the person; it is not lost by looking at another draft', async () => {
    const [first = none, second = none] = await waiting(2);
    const page = await visit(`review/${first.id}`);
    await reading(page, first);
    await page.keyboard.press('e');
    const text = page.getByLabel('Text of the draft');
    await text.fill('A better text.');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('j');
    await reading(page, second);
    await page.keyboard.press('k');
    await reading(page, first);
    expect(await text.inputValue()).to.equal('A better text.');
    await page.clock.runFor(SETTLE_MS);
    await page.getByRole('button', { name: 'Approve this text' }).click();
    await sent(page);
    await leaves(first);
    expect(first.person.received()).to.deep.equal(['A better text.']);
  });

  it('a page that is closed within the ten seconds sends nothing; the next one says so, and the draft still waits', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    await page.keyboard.press('a');
    await outbox(page).waitFor();
    const asked = page.waitForEvent('dialog');
    await page.goto('about:blank');
    expect((await asked).type(), 'whoever leaves is asked').to.equal('beforeunload');
    expect((await read(one.id)).state).to.equal('pending');
    await page.clock.runFor(GONE_MS);
    await page.goto(`${stage.origin}/console/w/acme/review/${one.id}`);
    await page.getByText(`“Approve: ${one.person.name}” was not sent`).waitFor();
    await reading(page, one);
    expect((await read(one.id)).state).to.equal('pending');
  });

  it('a draft that somebody changed meanwhile is not approved unread: what is new is shown, then it is', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    const change = { reviewItemId: one.id, body: 'Hello, how are your new terminals?', approve: false };
    await stage.fixture.acme.call('svc_edit_review_item', change);
    await page.keyboard.press('a');
    await page.clock.runFor(UNDO_MS);
    await outbox(page).getByText('The draft is at version 2, not 1').waitFor();
    expect((await read(one.id)).state).to.equal('pending');
    await page.goto(`${stage.origin}/console/w/acme/review/${one.id}`);
    await reading(page, one);
    await page.getByRole('button', { name: 'Approve' }).click();
    await sent(page);
    expect(await read(one.id)).to.include({ state: 'approved', body: change.body });
  });

  it('a draft that somebody changed meanwhile is not rejected unread either', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why').fill('Too pushy');
    const change = { reviewItemId: one.id, body: 'Hello, how are your new terminals?', approve: false };
    // Until it decides the page reads nothing anew: it is the decision itself that names the version.
    let decided = false;
    await page.route('**/console/api/call', (route) => {
      const asked = route.request().postData() ?? '';
      decided ||= asked.includes('svc_reject_review_item');
      return asked.includes('svc_get_review_item') && !decided ? route.abort() : route.continue();
    });
    await stage.fixture.acme.call('svc_edit_review_item', change);
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.clock.runFor(UNDO_MS);
    await outbox(page).getByText('not done').waitFor();
    expect((await read(one.id)).state).to.equal('pending');
  });

  it('a change behind the open dialog of a rejection is shown first, and the reason is kept', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why').fill('Too pushy');
    const body = 'Hello, how are your new terminals?';
    await stage.fixture.acme.call('svc_edit_review_item', { reviewItemId: one.id, body, approve: false });
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.clock.runFor(SETTLE_MS);
    await page.getByText('Somebody changed this draft since you opened it').waitFor({ state: 'attached' });
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByRole('button', { name: 'I have read the change' }).click();
    expect(await outbox(page).count()).to.equal(0);
    await page.keyboard.press('r');
    expect(await dialog.getByLabel('Why').inputValue()).to.equal('Too pushy');
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await sent(page);
    expect((await read(one.id)).state).to.equal('rejected');
  });

  it('shows in place what somebody else changed, and keeps what one was typing', async () => {
    const [first = none] = await waiting(2);
    const page = await visit(`review/${first.id}`);
    await reading(page, first);
    await page.keyboard.press('e');
    await page.getByLabel('Text of the draft').fill('Mine.');
    const change = { reviewItemId: first.id, body: 'Theirs.', approve: false };
    await stage.fixture.acme.call('svc_edit_review_item', change);
    await page.getByRole('button', { name: 'Approve this text' }).click();
    await page.clock.runFor(UNDO_MS);
    await outbox(page).getByText('The draft is at version 2, not 1').waitFor();
    await outbox(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('list', { name: 'Drafts' }).getByRole('link', { name: first.person.name }).click();
    await page.getByRole('alert').getByText('Theirs.').waitFor();
    expect(await page.getByLabel('Text of the draft').inputValue()).to.equal('Mine.');
    await page.getByRole('button', { name: 'Keep my text instead' }).click();
    await page.clock.runFor(SETTLE_MS);
    await page.getByRole('button', { name: 'Approve this text' }).click();
    await sent(page);
    expect(await read(first.id)).to.include({ state: 'approved', body: 'Mine.' });
  });

  it('two members at one draft: the second sees who decided, and decides nothing', async () => {
    const [one = none] = await waiting();
    const bela = await stage.member({ name: 'Bela Kovacs', role: 'reviewer' });
    const [hers, his] = [await visit(`review/${one.id}`), await visit(`review/${one.id}`, bela)];
    await reading(hers, one);
    await reading(his, one);
    await hers.keyboard.press('a');
    await his.keyboard.press('a');
    await sent(hers);
    await his.clock.runFor(UNDO_MS);
    await outbox(his).getByText('is approved already').waitFor();
    await his.goto(`${stage.origin}/console/w/acme/review/${one.id}`);
    await his.getByText(`${anna.email} decided: approved`).waitFor();
    expect(await read(one.id)).to.include({ state: 'approved', decidedBy: anna.email });
  });

  it('is live: what another member decides is seen without asking', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    await stage.fixture.acme.call('svc_reject_review_item', { reviewItemId: one.id, reason: 'Not them' });
    await page.getByText('“Not them”').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);
  });

  it('several at once: each whole text is seen, each decision is its own, and so is what became of it', async () => {
    const three = await waiting(3);
    const page = await visit(`review/${three[0]?.id}`);
    await reading(page, three[0] ?? none);
    for (const { person } of three) await page.getByLabel(`Pick ${person.name}`).check();
    await page.getByRole('button', { name: 'Decide 3 together' }).click();
    const dialog = page.getByRole('dialog');
    for (const { person } of three)
      await dialog.getByText(`Hello ${person.name.split(' ')[0]}, how are the new terminals?`).waitFor();
    await stage.fixture.acme.call('svc_reject_review_item', { reviewItemId: three[1]?.id, reason: 'Not them' });
    await dialog.getByRole('button', { name: 'Approve 3' }).click();
    await page.clock.runFor(UNDO_MS);
    await outbox(page).getByText('2 approved, 1 not done').waitFor();
    await outbox(page).getByText(`${three[1]?.person.name}: Review item`).waitFor();
    expect(await Promise.all(three.map(async ({ id }) => (await read(id)).state))).to.deep.equal([
      'approved',
      'rejected',
      'approved',
    ]);
  });

  it('a lost answer is asked for again, and nothing is decided twice', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    let lost = 0;
    await page.route('**/console/api/call', async (route) => {
      const isDecision = route.request().postData()?.includes('svc_approve_review_item') === true;
      if (!isDecision || lost++ > 0) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.keyboard.press('a');
    await page.clock.runFor(UNDO_MS);
    await outbox(page).getByText('not sent yet, it is tried again').waitFor();
    await sent(page);
    expect(lost).to.equal(2);
    expect(await read(one.id)).to.include({ state: 'approved', decidedBy: anna.email });
    await leaves(one);
    expect(one.person.received()).to.have.length(1);
  });

  it('single keys can be switched off, and stay off', async () => {
    const [one = none] = await waiting();
    const page = await visit(`review/${one.id}`);
    await reading(page, one);
    await page.keyboard.press('?');
    await page.getByLabel('Single keys do something here').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await reading(page, one);
    await page.keyboard.press('a');
    await page.keyboard.press('r');
    expect(await outbox(page).count()).to.equal(0);
    expect(await page.getByRole('dialog').count()).to.equal(0);
  });
});
