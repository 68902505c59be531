import { useSignal } from '@preact/signals';
import { type Failure, failureOf, post } from '../../api/http.ts';
import { FailureLine } from '../../parts/loaded.tsx';
import { Alone } from './alone.tsx';
import { enterConsole } from './enter.ts';

/** Where the link of a mail leads: only the button uses it up, so that no scanner of mails does. */
export function TokenPage({ token }: { token: string }) {
  const failure = useSignal<Failure | undefined>(undefined);
  const busy = useSignal(false);
  const enter = async (): Promise<void> => {
    busy.value = true;
    failure.value = undefined;
    try {
      await post('sign-in/token', { token });
      enterConsole();
      return;
    } catch (error) {
      failure.value = failureOf(error);
    }
    busy.value = false;
  };
  return (
    <Alone title="Sign in">
      <p>Your link is good for one sign-in.</p>
      <FailureLine failure={failure.value} />
      {failure.value === undefined || failure.value.mayPass ? (
        <button
          type="button"
          class="button button-primary button-block"
          disabled={busy.value}
          onClick={() => void enter()}
        >
          Sign in
        </button>
      ) : (
        <a class="button button-block" href="/console/sign-in">
          Ask for a new link
        </a>
      )}
    </Alone>
  );
}
