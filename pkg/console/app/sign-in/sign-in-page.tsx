import { useSignal } from '@preact/signals';
import { post } from '../../api/http.ts';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FailureLine } from '../../parts/loaded.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import type { SignInWays } from '../session.ts';
import { Alone } from './alone.tsx';
import { enterConsole } from './enter.ts';
import { isNeeded } from './is-needed.ts';
import { canUsePasskeys, signInByPasskey } from './passkey.ts';

/** Where somebody signs in, by the ways that this installation has. */
export function SignInPage({ ways }: { ways: SignInWays }) {
  const hasPasskey = ways.passkey && canUsePasskeys();
  // What is typed or not sent yet lives in this page alone: it has to stay open.
  const stays = isNeeded();
  const none = !ways.mail && ways.oidc === null && !hasPasskey;
  return (
    <Alone title="Sign in">
      {ways.oidc === null ? null : (
        // The provider's page is none of ours: the browser itself goes there, as the router leaves what names another place alone.
        <a
          class="button button-primary button-block"
          href="/console/oidc/start"
          target={stays ? '_blank' : '_top'}
          rel="noopener"
        >
          Continue with {ways.oidc.name}
        </a>
      )}
      {stays ? (
        <p class="soft small" role="status">
          What you wrote or decided here is not sent yet. Leave this page open: once you are signed in, in a new tab
          too, it goes on.
        </p>
      ) : null}
      {hasPasskey ? <ByPasskey /> : null}
      {ways.mail ? <ByMail isFirst={ways.oidc === null && !hasPasskey} /> : null}
      {none ? (
        <p>
          No way to sign in is set up here. The operators of this Outrider can set up mail or a provider of identities;
          on a new installation the link that its start prints makes the first admin.
        </p>
      ) : null}
    </Alone>
  );
}

function ByMail({ isFirst }: { isFirst: boolean }) {
  const email = useSignal('');
  const sent = useSignal<string | null>(null);
  const deed = useDeed();
  const send = (event: Event): void => {
    event.preventDefault();
    deed.run(async () => {
      await post('sign-in/mail', { email: email.value.trim() });
      sent.value = email.value.trim();
    });
  };
  if (sent.value !== null) {
    return (
      <div role="status">
        <p>
          <Icon name="mail" /> If <strong>{sent.value}</strong> belongs to a member, a link is on its way. It works
          once.
        </p>
        <button
          type="button"
          class="button button-quiet"
          onClick={() => {
            sent.value = null;
          }}
        >
          Another address
        </button>
      </div>
    );
  }
  return (
    <form class="stack" onSubmit={send}>
      <TextField
        label="Email"
        type="email"
        autocomplete="username webauthn"
        required
        value={email.value}
        onValue={(value) => {
          email.value = value;
        }}
      />
      <FailureLine failure={deed.failure} />
      <button
        type="submit"
        class={isFirst ? 'button button-primary button-block' : 'button button-block'}
        disabled={deed.busy}
      >
        Send me a link
      </button>
    </form>
  );
}

function ByPasskey() {
  const deed = useDeed();
  const enter = (): void =>
    deed.run(async () => {
      if (await signInByPasskey()) enterConsole();
    });
  return (
    <>
      <button type="button" class="button button-block" disabled={deed.busy} onClick={enter}>
        <Icon name="platform" /> Sign in with a passkey
      </button>
      <FailureLine failure={deed.failure} />
    </>
  );
}
