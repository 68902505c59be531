import { useSignal } from '@preact/signals';
import { type Failure, failureOf, post } from '../../api/http.ts';
import { TextField } from '../../parts/form.tsx';
import { FailureLine } from '../../parts/loaded.tsx';
import { Alone } from './alone.tsx';
import { enterConsole } from './enter.ts';

/** Where the first admin of an installation says who they are. */
export function ClaimPage({ token }: { token: string }) {
  const name = useSignal('');
  const email = useSignal('');
  const failure = useSignal<Failure | undefined>(undefined);
  const busy = useSignal(false);
  const claim = async (event: Event): Promise<void> => {
    event.preventDefault();
    busy.value = true;
    failure.value = undefined;
    try {
      await post('sign-in/claim', { token, email: email.value.trim(), name: name.value.trim() });
      enterConsole();
      return;
    } catch (error) {
      failure.value = failureOf(error);
    }
    busy.value = false;
  };
  return (
    <Alone title="Make this Outrider yours">
      <p>The link makes you the first admin of this installation. It works once.</p>
      <form class="stack" onSubmit={(event) => void claim(event)}>
        <TextField
          label="Your name"
          autocomplete="name"
          required
          maxLength={120}
          value={name.value}
          onValue={(value) => {
            name.value = value;
          }}
        />
        <TextField
          label="Your email"
          type="email"
          autocomplete="email"
          required
          value={email.value}
          onValue={(value) => {
            email.value = value;
          }}
        />
        <FailureLine failure={failure.value} />
        <button type="submit" class="button button-primary button-block" disabled={busy.value}>
          Become its admin
        </button>
      </form>
    </Alone>
  );
}
