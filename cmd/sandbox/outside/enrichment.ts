import type { Call, Reply } from '../http.ts';
import type { World } from '../world.ts';
import { note } from './book.ts';

/** `GET /v5/person/enrich`: knows everybody but those called Nobody, and only guesses who those called Maybe are. */
export function peopleDataLabs(world: World, call: Call): Reply {
  const name = call.query.get('name') ?? '';
  noteQuestion(world, call, 'pdl', name);
  const likelihood = name.startsWith('Maybe') ? 4 : 9;
  if (name === '' || name.startsWith('Nobody') || likelihood < Number(call.query.get('min_likelihood') ?? 2))
    return { status: 404, body: { status: 404, error: { type: 'not_found' } } };
  const mail = `${name.toLowerCase().replaceAll(' ', '.')}@work.example`;
  const data = {
    full_name: name,
    job_title: 'head of operations',
    industry: 'logistics',
    location_name: 'berlin, germany',
    location_country: 'germany',
    work_email: mail,
    mobile_phone: '+4930123456',
  };
  return { status: 200, body: { status: 200, likelihood, data } };
}

/** `GET /v2/email-finder` and `/v2/email-verifier`. */
export function hunter(world: World, call: Call): Reply {
  const email = call.query.get('email');
  noteQuestion(world, call, 'hunter', email ?? call.query.get('last_name') ?? '');
  if (email !== null)
    return { status: 200, body: { data: { email, status: email.includes('bad') ? 'invalid' : 'valid' } } };
  return { status: 200, body: { data: { email: null } } };
}

function noteQuestion(world: World, call: Call, service: 'pdl' | 'hunter', about: string): void {
  const { idempotencyKey } = call;
  const body = Object.fromEntries(call.query);
  note(world.store, { at: world.clock.now(), service, action: 'ask', about, idempotencyKey, headers: {}, body });
}
