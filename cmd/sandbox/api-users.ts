import { z } from 'zod';
import { accountOf } from './api-accounts.ts';
import { type Call, Refusal, type Reply } from './http.ts';
import { addInvitation, handInvitation, type InvitationRow, SHOWN, shownInvitation } from './invitations.ts';
import { readCursor, readLimit, required, writeCursor } from './listing.ts';
import { type Person, personOf, profileUrl } from './person.ts';
import { skillsOf } from './skills.ts';
import { ownerId } from './webhook-bodies.ts';
import type { World } from './world.ts';

const inviteBody = z.object({
  account_id: z.string().min(1).max(200),
  provider_id: z.string().min(1).max(200),
  message: z.string().max(300).optional(),
});

/** `GET users/{id}`: a look-up, or with `notify=true` a visit that the person sees. */
export function getProfile(world: World, call: Call): Reply {
  const accountId = required(call, 'account_id');
  accountOf(world, accountId);
  const id = call.path[1] ?? '';
  if (id === 'me') return ownProfile(accountId);
  const publicId = world.resolve(accountId, id);
  if (!publicId) throw new Refusal(404, 'resource_not_found', 'no such profile');
  const person = personOf(world.seed, publicId);
  const connected = world.connected(accountId, publicId);
  const invitation = connected ? undefined : shownInvitation(world, accountId, publicId);
  if (call.query.get('notify') === 'true') record(world, call, accountId, 'profile_view', publicId, null);
  return {
    status: 200,
    body: {
      object: 'UserProfile',
      provider: 'LINKEDIN',
      provider_id: world.providerId(accountId, publicId),
      public_identifier: publicId,
      public_profile_url: profileUrl(publicId),
      first_name: person.firstName,
      last_name: person.lastName,
      headline: person.headline,
      websites: [],
      is_relationship: connected,
      network_distance: connected ? 'FIRST_DEGREE' : 'SECOND_DEGREE',
      is_open_profile: world.behaviour(publicId).openProfile,
      ...(sections(call).includes('skills') ? { skills: skillsOf(world, accountId, publicId) } : {}),
      ...(sections(call).includes('experience') ? experienceOf(person) : {}),
      ...(invitation ? { invitation: { type: 'SENT', status: 'PENDING' } } : {}),
    },
  };
}

/** Parts of a profile that are asked for by name. */
function sections(call: Call): string[] {
  return (call.query.get('linkedin_sections') ?? '').split(',');
}

/** Where the person lives and works. */
function experienceOf({ location, company, headline }: Person): object {
  const position = { position: headline, company, current: true, start: '2021-03-01', end: null };
  return { location, work_experience: [position] };
}

/** `POST users/invite`: every call is a request of its own, repeated or not. */
export function sendInvitation(world: World, call: Call): Reply {
  const parsed = inviteBody.safeParse(call.body);
  if (!parsed.success) throw new Refusal(400, 'invalid_parameters', z.prettifyError(parsed.error));
  const { account_id: accountId, provider_id: providerId, message } = parsed.data;
  accountOf(world, accountId);
  const publicId = world.resolve(accountId, providerId);
  if (!publicId || !providerId.startsWith('ACo'))
    throw new Refusal(422, 'invalid_recipient', 'provider_id is not known to this account');
  const text = message && message !== '' ? message : null;
  // An accepted request of ours is no reason to refuse: a repetition has to show in the ledger.
  if (world.behaviour(publicId).connected && !world.removed(accountId, publicId))
    throw new Refusal(422, 'already_connected', 'the person is a connection already');
  if (handInvitation(world, accountId, publicId))
    throw new Refusal(422, 'already_invited_recently', 'an invitation is pending');
  const id = addInvitation(world, { accountId, publicId, text, visibleReal: call.visibleReal });
  record(world, call, accountId, 'connection_request', publicId, text);
  return { status: 201, body: { object: 'UserInvitationSent', invitation_id: id } };
}

/** `GET users/invite/sent`: pending ones, newest first. */
export function listInvitations(world: World, call: Call): Reply {
  const accountId = required(call, 'account_id');
  accountOf(world, accountId);
  const limit = readLimit(call);
  const real = world.real.now();
  const rows = world.store.all<InvitationRow>(
    `select * from invitation where account_id = ? and row < ? and ${SHOWN} order by row desc limit ?`,
    accountId,
    readCursor(call) ?? Number.MAX_SAFE_INTEGER,
    real,
    real,
    limit + 1,
  );
  const items = rows.slice(0, limit).map((row) => invitationItem(world, row));
  const last = rows[limit - 1];
  return {
    status: 200,
    body: { object: 'InvitationList', items, cursor: rows.length > limit && last ? writeCursor(last.row) : null },
  };
}

/** `DELETE users/invite/sent/{id}` */
export function cancelInvitation(world: World, call: Call): Reply {
  const accountId = required(call, 'account_id');
  accountOf(world, accountId);
  const row = world.store.one<InvitationRow>(
    `select * from invitation where id = ? and account_id = ? and state = 'pending'`,
    call.path[3] ?? '',
    accountId,
  );
  if (!row) throw new Refusal(404, 'resource_not_found', 'no such pending invitation');
  world.store.run(`update invitation set state = 'withdrawn', gone_real = ? where row = ?`, call.visibleReal, row.row);
  record(world, call, accountId, 'withdraw_request', row.public_id, null);
  return { status: 200, body: { object: 'InvitationCanceled' } };
}

/** `GET users/relations`: newest first. */
export function listRelations(world: World, call: Call): Reply {
  const accountId = required(call, 'account_id');
  accountOf(world, accountId);
  const limit = readLimit(call);
  const offset = readCursor(call) ?? 0;
  const rows = world.store.all<{ row: number; public_id: string; connected_at: number }>(
    'select * from relation where account_id = ? order by connected_at desc, row desc limit ? offset ?',
    accountId,
    limit + 1,
    offset,
  );
  const items = rows.slice(0, limit).map((row) => {
    const person = personOf(world.seed, row.public_id);
    const memberId = world.providerId(accountId, row.public_id);
    return {
      object: 'UserRelation',
      first_name: person.firstName,
      last_name: person.lastName,
      headline: person.headline,
      public_identifier: row.public_id,
      public_profile_url: profileUrl(row.public_id),
      created_at: row.connected_at,
      member_id: memberId,
      member_urn: `urn:li:fsd_profile:${memberId}`,
      connection_urn: `urn:li:fsd_connection:${memberId}`,
    };
  });
  return {
    status: 200,
    body: { object: 'UserRelationsList', items, cursor: rows.length > limit ? writeCursor(offset + limit) : null },
  };
}

/** The ledger line of something that was really done. */
export function record(
  world: World,
  call: Call,
  accountId: string,
  kind: string,
  publicId: string,
  text: string | null,
): void {
  world.receive({ accountId, kind, publicId, text, idempotencyKey: call.idempotencyKey });
}

function invitationItem(world: World, row: InvitationRow): object {
  const person = personOf(world.seed, row.public_id);
  const at = new Date(row.sent_at).toISOString();
  return {
    object: 'InvitationSent',
    id: row.id,
    invited_user: `${person.firstName} ${person.lastName}`,
    invited_user_id: world.providerId(row.account_id, row.public_id),
    invited_user_public_id: row.public_id,
    invited_user_description: person.headline,
    date: at,
    parsed_datetime: at,
    invitation_text: row.text,
  };
}

function ownProfile(accountId: string): Reply {
  return {
    status: 200,
    body: {
      object: 'AccountOwnerProfile',
      provider: 'LINKEDIN',
      provider_id: ownerId(accountId),
      entity_urn: `urn:li:fsd_profile:${ownerId(accountId)}`,
      object_urn: `urn:li:member:${accountId}`,
      first_name: accountId,
      last_name: '',
      profile_picture_url: null,
      email: `${accountId}@example.invalid`,
      premium: false,
      open_profile: false,
      recruiter: null,
      sales_navigator: null,
    },
  };
}
