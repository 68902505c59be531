import { expect } from 'chai';
import { drafting, type Person, somebody } from '../fixtures/console/console-people.ts';
import {
  type ConsolePage,
  type ConsoleStage,
  consoleStage,
  endPages,
  HOSTILE,
  type Member,
  outbox,
} from '../fixtures/console/console-stage.ts';
import { DAY, HOUR } from '../fixtures/stories/engine-fixture.ts';

/** Longer than an answer may be taken back. */
const UNDO_MS = 10_500;
/** After which a page that is looked at asks by itself. */
const MINUTE_MS = 61_000;

describe('the inbox', function () {
  this.timeout(60_000);
  let stage: ConsoleStage;
  let anna: Member;
  const open: ConsolePage[] = [];
  before(async () => {
    stage = await consoleStage();
    anna = await stage.member();
    // The measure of the account's day may be used up by others.
    await stage.fixture.pass(DAY);
    await stage.fixture.tools.grant(stage.workspaceId, 100);
  });
  afterEach(async function () {
    await endPages(open, this.currentTest);
  });

  /** Somebody who wrote, and the page of their conversation. */
  const talking = async (text: string, about: object = {}): Promise<{ person: Person; page: ConsolePage }> => {
    const person = await somebody(stage, about);
    await person.says(text);
    const page = await stage.open(anna, 'inbox');
    open.push(page);
    await page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: person.name }).click();
    await page.getByRole('heading', { level: 2, name: person.name }).waitFor();
    return { person, page };
  };
  /** Words of the same moment are in no order. */
  const later = (): void => {
    const { clock } = stage.fixture.tools.cluster;
    clock.at = clock.now() + 1_000;
  };
  const answerOf = (page: ConsolePage) => page.getByLabel('Your answer');
  /** Lets the executor work while an answer is waited for. */
  const sent = async (page: ConsolePage): Promise<void> => {
    await page.clock.runFor(UNDO_MS);
    await stage.fixture.during(outbox(page).waitFor({ state: 'detached' }));
  };

  it('an answer by hand reaches the person, ten seconds later', async () => {
    const { person, page } = await talking('What does it cost?');
    await page.keyboard.press('e');
    await page.keyboard.type('It depends on the number of terminals. Shall we talk?');
    await page.keyboard.press('Control+Enter');
    await outbox(page).getByText(person.name).first().waitFor();
    expect(person.received(), 'while it may be taken back').to.deep.equal([]);
    await sent(page);
    await page.getByText(`Sent to ${person.name}`).waitFor();
    expect(person.received()).to.deep.equal(['It depends on the number of terminals. Shall we talk?']);
    expect(page.problems).to.deep.equal([]);
  });

  it('whoever writes again meanwhile is not answered past that: the text is where it was written', async () => {
    const { person, page } = await talking('What does it cost?');
    await answerOf(page).fill('Ten a month.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await outbox(page).waitFor();
    later();
    await person.says('Forget it, we have a vendor.');
    await page.clock.runFor(UNDO_MS);
    await outbox(page).getByText('Your text is where you wrote it.').waitFor();
    expect(await answerOf(page).inputValue()).to.equal('Ten a month.');
    expect(person.received()).to.deep.equal([]);
    await page.clock.runFor(MINUTE_MS);
    await page.getByRole('list', { name: 'Messages' }).getByText('Forget it, we have a vendor.').waitFor();
  });

  it('an answer that is taken back is there again', async () => {
    const { person, page } = await talking('Who are you?');
    await answerOf(page).fill('A friend.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await outbox(page).getByRole('button', { name: 'Undo' }).click();
    await page.clock.runFor(UNDO_MS);
    expect(await answerOf(page).inputValue()).to.equal('A friend.');
    expect(person.received()).to.deep.equal([]);
  });

  it('a draft is written on demand, with its facts, and sent by a person alone', async () => {
    const { person, page } = await talking('Sounds good, what does it cost?');
    await page.getByRole('button', { name: 'Draft an answer' }).click();
    await page.getByRole('button', { name: 'Write', exact: true }).click();
    await page.getByRole('button', { name: 'Use this text' }).first().click();
    expect(await answerOf(page).inputValue()).to.have.length.above(10);
    expect(person.received()).to.deep.equal([]);
  });

  it('what is hostile in a conversation stays words', async () => {
    const text = `${HOSTILE}<script>alert(2)</script> [me](javascript:alert(3))`;
    const { page } = await talking(text, { lastName: HOSTILE, company: HOSTILE });
    await page.getByRole('list', { name: 'Messages' }).getByText(text).waitFor();
    expect(await page.locator('img, main script, a[href^="javascript:"]').count()).to.equal(0);
    expect(page.problems).to.deep.equal([]);
  });

  it('a person takes over from the workflow, gives back, and leaves a note', async () => {
    const person = await somebody(stage);
    const enrol = await drafting(stage, 'Hello {{lead:firstName}}');
    await enrol([person]);
    const other = await talking('Good day', {});
    await other.page.context().close();
    open.length = 0;
    // The run of a person who has not written goes on while somebody looks at a conversation of before.
    await stage.fixture.tools.force(
      `insert into conversation (id, account_id, external_id, participant_name, person_id, last_message_at)
       select gen_random_uuid(), $2, 'chat-' || $1, $1, r.person_id, 1 from run r where r.lead_id = $3`,
      [person.name, stage.fixture.accountId, person.leadId],
    );
    const page = await stage.open(anna, 'inbox');
    open.push(page);
    await page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: person.name }).click();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('Paused: you have this conversation.').waitFor();
    await page.getByRole('button', { name: 'Give back' }).click();
    await page.getByText('The workflow goes on.').waitFor();
    await page.getByLabel('A note').fill('Call her on Thursday.');
    await page.getByRole('button', { name: 'Leave the note' }).click();
    await page.getByRole('listitem').getByText('Call her on Thursday.').waitFor();
    await stage.fixture.pass(HOUR);
  });

  it('is live, and marks as read by hand alone', async () => {
    const person = await somebody(stage);
    await (await drafting(stage, 'Hello {{lead:firstName}}'))([person]);
    await person.says('First words');
    const page = await stage.open(anna, 'inbox');
    open.push(page);
    await page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: person.name }).click();
    await page.getByRole('list', { name: 'Messages' }).getByText('First words').waitFor();
    const line = page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: person.name });
    await line.getByText('Unread').waitFor({ state: 'attached' });
    later();
    await person.says('Further words');
    await page.clock.runFor(MINUTE_MS);
    await page.getByRole('list', { name: 'Messages' }).getByText('Further words').waitFor();
    await page.getByRole('button', { name: 'Mark as read' }).click();
    await page.getByRole('button', { name: 'Mark as unread' }).waitFor();
    await line.getByText('Unread').waitFor({ state: 'detached' });
  });
});
