import { z } from 'zod';
import { accountOf } from './api-accounts.ts';
import { record } from './api-users.ts';
import { type Call, Refusal, type Reply } from './http.ts';
import { skillId } from './skills.ts';
import type { World } from './world.ts';

const endorseBody = z.object({
  account_id: z.string().min(1).max(200),
  profile_id: z.string().min(1).max(200),
  skill_endorsement_id: z.number().int(),
});

/** `POST linkedin/profile/endorse`: one skill of a connection. */
export function endorse(world: World, call: Call): Reply {
  const parsed = endorseBody.safeParse(call.body);
  if (!parsed.success) throw new Refusal(400, 'invalid_parameters', z.prettifyError(parsed.error));
  const { account_id: accountId, profile_id: profileId, skill_endorsement_id: skill } = parsed.data;
  accountOf(world, accountId);
  const publicId = profileId.startsWith('ACo') ? world.resolve(accountId, profileId) : null;
  if (!publicId) throw new Refusal(422, 'invalid_recipient', 'profile_id is not known to this account');
  if (!world.connected(accountId, publicId)) {
    throw new Refusal(422, 'no_connection_with_recipient', 'only connections can be endorsed');
  }
  const count = world.behaviour(publicId).skills;
  const known = Array.from({ length: count }, (_none, index) => skillId(publicId, index));
  if (!known.includes(skill)) throw new Refusal(404, 'resource_not_found', 'no such skill');
  world.store.run(
    'insert or ignore into endorsement (account_id, public_id, skill) values (?, ?, ?)',
    accountId,
    publicId,
    skill,
  );
  record(world, call, accountId, 'endorse', publicId, String(skill));
  return { status: 200, body: { object: 'LinkedinProfileEndorse', endorsed: true } };
}
