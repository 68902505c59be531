import { useSignal } from '@preact/signals';
import { call, type Output } from '../../api/call.ts';
import { type Pages, usePages } from '../../api/pages.ts';
import { may, me, workspace } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { isOwner } from './role.ts';
import { scopeWords } from './scope-levels.ts';
import { ScopesChoice } from './scopes-choice.tsx';
import { Secret } from './secret.tsx';

type KeyType = 'workspace' | 'user';
type Key = Output<'svc_list_api_keys'>['apiKeys'][number];

/** Keys by which programs work here: those of the workspace, and the member's own. */
export function KeysTab() {
  return (
    <div class="sections">
      <Keys
        keyType="user"
        title="Your keys"
        about="They act as you, in all your workspaces, and may at most what you may there."
        makes={may('workspace:write')}
      />
      <Keys
        keyType="workspace"
        title="Keys of this workspace"
        about="They belong to the workspace and stay when a member leaves. The owner makes them; any member may revoke one."
        makes={isOwner()}
      />
    </div>
  );
}

function Keys({ keyType, title, about, makes }: { keyType: KeyType; title: string; about: string; makes: boolean }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const asked = { workspaceId, keyType, detail: 'full' as const, limit: 50 };
  const pages = usePages('svc_list_api_keys', asked, ({ apiKeys }) => apiKeys, { on: ['key'] });
  const making = useSignal(false);
  const revoking = useSignal<Key | undefined>(undefined);
  return (
    <Section
      title={title}
      about={about}
      deeds={
        makes ? (
          <button
            type="button"
            class="button button-small"
            onClick={() => {
              making.value = true;
            }}
          >
            <Icon name="plus" size={16} /> New key
          </button>
        ) : undefined
      }
    >
      <Loaded
        of={pages.resource}
        lines={3}
        empty={{ when: ({ items }) => items.length === 0, show: <p class="soft">There is none.</p> }}
      >
        {({ items }) => (
          <ul class="members">
            {items.map((key) => (
              <KeyLine key={key.apiKeyId} of={key} onRevoke={() => (revoking.value = key)} />
            ))}
          </ul>
        )}
      </Loaded>
      <More of={pages} />
      {making.value ? <NewKey keyType={keyType} pages={pages} onClose={() => (making.value = false)} /> : null}
      {revoking.value ? (
        <Revoke of={revoking.value} pages={pages} onClose={() => (revoking.value = undefined)} />
      ) : null}
    </Section>
  );
}

function KeyLine({ of, onRevoke }: { of: Key; onRevoke: () => void }) {
  const { name, keyPrefix, scopes = [], createdBy, createdAt = '', lastUsedAt } = of;
  return (
    <li class="member">
      <div class="grow">
        <p class="row">
          <strong>
            <bdi>{name}</bdi>
          </strong>
          <code>{keyPrefix}…</code>
        </p>
        <p title={scopes.join('\n')}>{scopeWords(scopes)}</p>
        <p class="soft small">
          made <Time at={createdAt} />
          {createdBy ? (
            <>
              {' by '}
              <bdi>{createdBy}</bdi>
            </>
          ) : null}
          {lastUsedAt ? (
            <>
              , last used <Time at={lastUsedAt} />
            </>
          ) : (
            ', never used'
          )}
        </p>
      </div>
      <button type="button" class="button button-small button-danger" onClick={onRevoke}>
        Revoke<span class="unseen"> {name}</span>
      </button>
    </li>
  );
}

interface NewKeyProps {
  keyType: KeyType;
  pages: Pages<Key>;
  onClose: () => void;
}

/** Scopes that a key of the kind may be given by who looks. */
function givable(keyType: KeyType): readonly string[] {
  const isPlatforms = (scope: string): boolean => scope.startsWith('admin:');
  if (keyType === 'workspace') return workspace.value?.scopes.filter((scope) => !isPlatforms(scope)) ?? [];
  // Such a key opens all workspaces of its user, and may in each what they may there.
  return [...new Set(me.value?.workspaces.flatMap(({ scopes }) => scopes))];
}

/** Makes a key, and shows it this once. */
function NewKey({ keyType, pages, onClose }: NewKeyProps) {
  const { workspaceId = '' } = workspace.value ?? {};
  const name = useSignal('');
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const made = useSignal<Output<'svc_create_api_key'> | undefined>(undefined);
  const deed = useDeed();
  const make = (): void => {
    const given = { workspaceId, keyType, name: name.value.trim(), scopes: [...chosen.value] };
    deed.run(async (key) => {
      made.value = await call('svc_create_api_key', given, { key });
      pages.resource.reload();
    });
  };
  if (made.value) return <MadeKey made={made.value} onClose={onClose} />;
  return (
    <Ask
      title={keyType === 'user' ? 'A new key of yours' : 'A new key of the workspace'}
      verb="Make the key"
      wide
      ready={name.value.trim() !== '' && chosen.value.size > 0}
      deed={deed}
      onYes={make}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="By which you know it again, such as the program that has it"
        required
        maxLength={120}
        autocomplete="off"
        value={name.value}
        onValue={(value) => {
          name.value = value;
        }}
      />
      <ScopesChoice
        given={givable(keyType)}
        chosen={chosen.value}
        onChosen={(next) => {
          chosen.value = next;
        }}
      />
    </Ask>
  );
}

function MadeKey({ made, onClose }: { made: Output<'svc_create_api_key'>; onClose: () => void }) {
  return (
    <Dialog
      title="The key is made"
      onClose={onClose}
      actions={
        <button type="button" class="button button-primary" onClick={onClose}>
          I have taken it
        </button>
      }
    >
      <p>It is shown now and never again. Whoever has it may what it may: keep it where passwords are kept.</p>
      <Secret label="Key" value={made.key} />
      <p class="hint">{scopeWords(made.scopes)}</p>
    </Dialog>
  );
}

function Revoke({ of, pages, onClose }: { of: Key; pages: Pages<Key>; onClose: () => void }) {
  const deed = useDeed();
  const invited = useSignal<Output<'svc_revoke_api_key'>['membersMade'] | undefined>(undefined);
  const revoke = (): void =>
    deed.run(async () => {
      const { membersMade } = await call('svc_revoke_api_key', { apiKeyId: of.apiKeyId });
      pages.resource.reload();
      if (membersMade.length > 0) {
        invited.value = membersMade;
        return;
      }
      say('The key was revoked.', { tone: 'good' });
      onClose();
    });
  if (invited.value)
    return (
      <Dialog
        title="The key was revoked"
        onClose={onClose}
        actions={
          <button type="button" class="button button-primary" onClick={onClose}>
            Close
          </button>
        }
      >
        <p>By it these people were invited. If it was in wrong hands, look whether each of them belongs here:</p>
        <ul class="stack">
          {invited.value.map(({ memberId, email, role, workspaceId }) => (
            <li key={memberId}>
              <bdi>{email}</bdi>, {role} in {workspaceId}
            </li>
          ))}
        </ul>
      </Dialog>
    );
  return (
    <Ask title="Revoke this key?" verb="Revoke for good" danger deed={deed} onYes={revoke} onClose={onClose}>
      <p>
        <strong>
          <bdi>{of.name}</bdi>
        </strong>{' '}
        (<code>{of.keyPrefix}</code>) stops working at once, and what it invited is withdrawn. Nobody can take this
        back.
      </p>
    </Ask>
  );
}
