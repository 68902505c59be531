import type { OldHome } from './old-home.ts';

/** Somebody of the stored home and what they do. */
export interface Person {
  name: string;
  /** What the sandbox lets them do: a preset, or fields. */
  behaviour: string | Record<string, unknown>;
}

const many = (names: string, behaviour: Person['behaviour']): Person[] =>
  names.split(' ').map((name) => ({ name, behaviour }));

const DAY = 86_400_000;

/** Of the long workflow: accept, ignore, answer. */
export const STRANGERS: readonly Person[] = [
  ...many('ann bea cid dan eva', { accepts: true, acceptAfterMs: DAY / 6, reply: 'none' }),
  ...many('fay gus hal', { accepts: false, reply: 'none' }),
  ...many('ida jon', {
    accepts: true,
    acceptAfterMs: DAY / 6,
    reply: 'positive',
    replyToMessage: 1,
    replyAfterMs: DAY / 8,
  }),
  ...many('kim', { accepts: true, acceptAfterMs: DAY / 6, reply: 'stop', replyToMessage: 1, replyAfterMs: DAY / 8 }),
  ...many('leo', {
    accepts: true,
    acceptAfterMs: DAY / 6,
    reply: 'out_of_office',
    replyToMessage: 1,
    replyAfterMs: DAY / 8,
  }),
];
/** Connected with an account already, so that they can be written to. */
export const REVIEWED: readonly Person[] = many('mia ned oda pia', 'connected');
export const GREETED: readonly Person[] = many('quy ron sue tom uma val wim', 'connected');
export const ON_MONDAY: readonly Person[] = many('xia yan', 'connected');
export const REFUSED: readonly Person[] = many('zoe abe', { accepts: false, reply: 'none' });
/** To whom texts are written that cost credits. */
export const CRAFTED: readonly Person[] = many('sky tia uwe', 'connected');
/** Who gets mails. */
export const MAILED: readonly Person[] = many('ben cat dee ed flo', { accepts: false, reply: 'none' });
/** Who goes into a CRM. */
export const PUSHED: readonly Person[] = many('kit lou', { accepts: false, reply: 'none' });
/** Of the other workspace. */
export const OTHERS: readonly Person[] = many('gil hob ivy jed', 'connected');

/** Tells the sandbox how they behave and imports them into a campaign. @returns their lead ids, in order */
export async function importPeople(
  home: OldHome,
  workspaceId: string,
  campaignId: string,
  people: readonly Person[],
): Promise<string[]> {
  const mark = workspaceId.slice(-4);
  for (const { name, behaviour } of people) {
    await home.sandbox('POST', 'people', { publicId: `${name}-${mark}`, behaviour });
    await home.sandbox('POST', 'mail-people', {
      address: `${name}@${name}-works.example`,
      behaviour:
        name === 'cat' ? { replyText: 'Sounds good, tell me more.', replyAfterMs: DAY / 8 } : { replyText: '' },
    });
  }
  // Each at a company of their own: no more than three people of one are written to in a day.
  const rows = people.map(
    ({ name }) =>
      `${name},Of ${mark},Head of Sales,${name} works,${name}-works.example,${name}@${name}-works.example,https://www.linkedin.com/in/${name}-${mark}`,
  );
  const csv = ['First name,Last name,Title,Company,Company domain,Email,LinkedIn', ...rows].join('\n');
  await home.call('svc_import_leads_csv', { workspaceId, campaignId, csv }, workspaceId);
  const ids = new Map<string, string>();
  for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
    const page: { leads: { leadId: string; firstName: string }[]; nextCursor: string | null } = await home.call(
      'svc_search_leads',
      { workspaceId, limit: 100, ...(cursor ? { cursor } : {}) },
      workspaceId,
    );
    for (const lead of page.leads) ids.set(lead.firstName, lead.leadId);
    cursor = page.nextCursor;
  }
  return people.map(({ name }) => {
    const found = ids.get(name);
    if (found === undefined) throw new Error(`${name} was not imported`);
    return found;
  });
}
