import { useSignal } from '@preact/signals';
import { get, post } from '../../api/http.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { readSession } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Chip } from '../../parts/chip.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';

/** A browser in which the member is signed in. */
interface Session {
  sessionId: string;
  way: string;
  signedInAt: string;
  seenAt: string;
  current: boolean;
}

interface Sessions {
  sessions: Session[];
}

const WAYS: Readonly<Record<string, string>> = {
  claim: 'the link of the first admin',
  mail: 'a link by mail',
  oidc: 'your provider',
  passkey: 'a passkey',
};

/** Where the member is signed in to the console. */
export function SessionsTab() {
  const sessions = useResource((signal) => get<Sessions>('sessions', signal), []);
  const everywhere = useSignal(false);
  return (
    <Section
      title="Where you are signed in"
      about="A session ends 12 hours after its last use. End those that you do not know."
      deeds={
        <button
          type="button"
          class="button button-small button-danger"
          onClick={() => {
            everywhere.value = true;
          }}
        >
          Sign out everywhere
        </button>
      }
    >
      <Loaded of={sessions} lines={3}>
        {(found) => (
          <ul class="members">
            {found.sessions.map((session) => (
              <SessionLine key={session.sessionId} session={session} resource={sessions} />
            ))}
          </ul>
        )}
      </Loaded>
      {everywhere.value ? <Everywhere onClose={() => (everywhere.value = false)} /> : null}
    </Section>
  );
}

function SessionLine({ session, resource }: { session: Session; resource: Resource<Sessions> }) {
  const { sessionId, way, signedInAt, seenAt, current } = session;
  const deed = useDeed();
  const end = (): void =>
    deed.run(async () => {
      await post('sessions/end', { sessionId });
      say('That session was ended.', { tone: 'good' });
      resource.reload();
    });
  return (
    <li class="member">
      <div class="grow">
        <p class="row">
          <strong>
            Signed in <Time at={signedInAt} />
          </strong>
          {current ? <Chip tone="accent">this browser</Chip> : null}
        </p>
        <p class="soft">
          by {WAYS[way] ?? way}, last used <Time at={seenAt} />
        </p>
        <FailureLine failure={deed.failure} />
      </div>
      {current ? null : (
        <button type="button" class="button button-small" disabled={deed.busy} onClick={end}>
          End it
        </button>
      )}
    </li>
  );
}

function Everywhere({ onClose }: { onClose: () => void }) {
  const deed = useDeed();
  const leave = (): void =>
    deed.run(async () => {
      await post('sign-out', { everywhere: true });
      onClose();
      await readSession();
    });
  return (
    <Ask title="Sign out everywhere?" verb="Sign out" danger deed={deed} onYes={leave} onClose={onClose}>
      <p>Every browser in which you are signed in is signed out, this one too. Keys go on working.</p>
    </Ask>
  );
}
