import type { Call, Reply } from '../http.ts';
import type { World } from '../world.ts';
import { note } from './book.ts';

/** Somebody's webhook: takes everything and keeps what the headers said. */
export function hook(world: World, call: Call): Reply {
  const { idempotencyKey, headers, body } = call;
  const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-svc-')));
  const about = call.path.slice(2).join('/');
  note(world.store, {
    at: world.clock.now(),
    service: 'hook',
    action: 'deliver',
    about,
    idempotencyKey,
    headers: shown,
    body: { parsed: body, raw: call.raw },
  });
  return { status: 200, body: { received: true } };
}
