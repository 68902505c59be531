import { useSignal } from '@preact/signals';
import { get, post } from '../../api/http.ts';
import { useResource } from '../../api/resource.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { addPasskey, canUsePasskeys, type Passkey } from './passkey.ts';

interface Read {
  passkeys: readonly Passkey[];
}

/** The passkeys of who is signed in. */
export default function PasskeysDialog({ onClose }: { onClose: () => void }) {
  const read = useResource((signal) => get<Read>('passkeys', signal), []);
  const name = useSignal('');
  const deed = useDeed();
  const attempt = (work: () => Promise<unknown>): void =>
    deed.run(async () => {
      try {
        await work();
        name.value = '';
      } finally {
        read.reload();
      }
    });
  return (
    <Dialog title="Passkeys" onClose={onClose}>
      <p class="soft">Sign in with this device instead of a mail. A passkey never leaves it.</p>
      <Loaded of={read} lines={2}>
        {({ passkeys }) => (
          <ul class="stack">
            {passkeys.map((one) => (
              <li key={one.passkeyId} class="row">
                <span class="grow">
                  <strong>{one.name}</strong>{' '}
                  <span class="soft small">
                    since <Time at={one.madeAt} />
                    {one.usedAt === null ? '' : ', last used '}
                    {one.usedAt === null ? null : <Time at={one.usedAt} />}
                  </span>
                </span>
                <button
                  type="button"
                  class="button button-small button-danger"
                  disabled={deed.busy}
                  onClick={() => attempt(() => post('passkeys/remove', { passkeyId: one.passkeyId }))}
                >
                  Remove<span class="unseen"> {one.name}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {canUsePasskeys() ? (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            attempt(() => addPasskey(name.value.trim() || 'Passkey'));
          }}
        >
          <TextField
            label="Name of a new one"
            placeholder="For example: laptop"
            maxLength={60}
            value={name.value}
            onValue={(value) => {
              name.value = value;
            }}
          />
          <FailureLine failure={deed.failure} />
          <p>
            <button type="submit" class="button" disabled={deed.busy}>
              Add a passkey
            </button>
          </p>
        </form>
      ) : (
        <p class="soft">This browser has none.</p>
      )}
    </Dialog>
  );
}
