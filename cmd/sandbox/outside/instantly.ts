import { z } from 'zod';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { keep, kept, note } from './book.ts';

const listBody = z.object({
  campaign: z.string().default(''),
  search: z.string().optional(),
  limit: z.number().default(10),
});
const addBody = z.object({
  campaign: z.string(),
  email: z.string(),
  skip_if_in_campaign: z.boolean().default(false),
});
interface Member {
  campaign: string;
  email: string;
}

/** `/api/v2/leads` and `/api/v2/leads/list`. It adds a lead twice when nobody says otherwise, as the real one does. */
export function instantly(world: World, call: Call): Reply {
  const path = call.path.slice(4).join('/');
  const members = kept<Member>(world.store, 'instantly', 'lead');
  if (call.method === 'POST' && path === 'leads/list') {
    const { campaign, search = '', limit } = listBody.parse(call.body);
    const items = members.filter((one) => one.campaign === campaign && one.email.includes(search)).slice(0, limit);
    return { status: 200, body: { items: items.map((one) => ({ ...one, id: String(one.id) })) } };
  }
  if (call.method !== 'POST' || path !== 'leads') throw new Refusal(404, 'resource_not_found', 'no such endpoint');
  const { campaign, email, skip_if_in_campaign: skip } = addBody.parse(call.body);
  if (skip && members.some((one) => one.campaign === campaign && one.email === email)) return { status: 200, body: {} };
  const id = keep(world.store, 'instantly', 'lead', { campaign, email });
  const { idempotencyKey, body } = call;
  note(world.store, {
    at: world.clock.now(),
    service: 'instantly',
    action: 'add',
    about: `${campaign}/${email}`,
    idempotencyKey,
    headers: {},
    body,
  });
  return { status: 200, body: { id: String(id), campaign, email } };
}
