import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { streamState } from '../api/events.ts';
import { failureOf } from '../api/http.ts';
import { Icon } from '../parts/icon.tsx';
import { say } from '../parts/toasts.tsx';
import { here, type Place, placeOf, platformPath, workspacePath } from './address.ts';
import { waiting } from './counts.ts';
import { SCREENS, type Screen } from './screens.ts';
import { currentId, type Me, may, me, signOut, workspace } from './session.ts';
import { THEMES, type Theme, theme } from './theme.ts';

const GROUPS: readonly { group: Screen['group']; title: string }[] = [
  { group: 'work', title: 'Today' },
  { group: 'outreach', title: 'Outreach' },
  { group: 'house', title: 'Workspace' },
  { group: 'platform', title: 'Platform' },
];

/** The frame of all screens: head, navigation, and what is looked at. */
export function Shell({ place, children }: { place: Place; children: ComponentChildren }) {
  const open = useSignal(false);
  const { url } = useLocation();
  // Somebody who went somewhere wants to see it.
  useEffect(() => {
    open.value = false;
  }, [url]);
  return (
    <div class="shell">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page, where the router would see another page */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="head">
        <button
          type="button"
          class="button button-quiet button-icon head-menu"
          aria-expanded={open.value}
          aria-controls="nav"
          aria-label="Menu"
          onClick={() => {
            open.value = !open.value;
          }}
        >
          <Icon name={open.value ? 'close' : 'menu'} />
        </button>
        <a class="brand" aria-label="Outrider" href={currentId.value === null ? '/console/' : here.value('')}>
          <Mark />
          <span>Outrider</span>
        </a>
        <WorkspaceSwitch />
        <Stream />
        <AccountMenu />
      </header>
      <nav id="nav" class={open.value ? 'nav nav-open' : 'nav'} aria-label="Screens">
        {GROUPS.map(({ group, title }) => (
          <NavGroup key={group} group={group} title={title} place={place} />
        ))}
      </nav>
      <main id="main" class="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** The router would take the address of a part of the page for another page. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function NavGroup({ group, title, place }: { group: Screen['group']; title: string; place: Place }) {
  const shown = SCREENS.filter((screen) => screen.group === group && may(screen.scope) && isOfHere(screen));
  if (shown.length === 0) return null;
  const active = place.kind === 'workspace' || place.kind === 'platform' ? place.screen : '';
  const isPlatform = place.kind === 'platform';
  return (
    <>
      <h2 class="nav-title">{title}</h2>
      <ul>
        {shown.map((screen) => {
          const count = waiting.value[screen.path] ?? 0;
          const isActive = screen.path === active && (screen.platform === true) === isPlatform;
          return (
            <li key={screen.path}>
              <a href={pathOf(screen)} class="nav-link" aria-current={isActive ? 'page' : undefined}>
                <Icon name={screen.icon} />
                <span class="nav-text">{screen.title}</span>
                {count > 0 && !screen.platform ? (
                  <span class="count">
                    {count > 999 ? '999+' : count}
                    <span class="unseen"> waiting</span>
                  </span>
                ) : null}
              </a>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Screens of a workspace need one. */
function isOfHere({ platform }: Screen): boolean {
  return platform === true || workspace.value !== undefined;
}

function pathOf({ path, platform }: Screen): string {
  return platform ? platformPath(path) : here.value(path);
}

function WorkspaceSwitch() {
  const { route, path } = useLocation();
  const known = me.value?.workspaces ?? [];
  const current = workspace.value;
  if (known.length === 0) return <span class="head-space" />;
  if (known.length === 1 && current) return <span class="head-space head-workspace">{current.name}</span>;
  const change = (workspaceId: string): void => {
    const place = placeOf(path);
    route(workspacePath(workspaceId, place.kind === 'workspace' ? place.screen : ''));
  };
  return (
    <span class="head-space">
      <label class="unseen" for="workspace">
        Workspace
      </label>
      <select
        id="workspace"
        class="head-select"
        value={current?.workspaceId ?? ''}
        onChange={(event) => change(event.currentTarget.value)}
      >
        {current ? null : (
          <option value="" disabled>
            Workspace …
          </option>
        )}
        {known.map(({ workspaceId, name }) => (
          <option key={workspaceId} value={workspaceId}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

/** Whether what is seen follows what happens; nothing is said while it does. */
function Stream() {
  const state = streamState.value;
  if (state !== 'waiting') return null;
  return (
    <span class="stream" role="status" title="Changes of others are not seen until the connection is back.">
      <Icon name="refresh" size={16} /> <span class="stream-text">Reconnecting</span>
    </span>
  );
}

const THEME_WORDS: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' };
const THEME_ICONS = { system: 'screen', light: 'sun', dark: 'moon' } as const;

/** The member, how the console looks, and the way out. */
function AccountMenu() {
  const open = useSignal(false);
  const passkeys = useSignal<ComponentType<{ onClose: () => void }> | null>(null);
  const { user } = me.value as Me;
  useEffect(() => {
    if (!open.value) return;
    const away = (event: Event): void => {
      const inside = event.target instanceof Element && event.target.closest('.menu-frame') !== null;
      if (!inside) open.value = false;
    };
    document.addEventListener('pointerdown', away);
    document.addEventListener('focusin', away);
    return () => {
      document.removeEventListener('pointerdown', away);
      document.removeEventListener('focusin', away);
    };
  }, [open.value]);
  const close = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !open.value) return;
    open.value = false;
    document.getElementById('account')?.focus();
  };
  const Passkeys = passkeys.value;
  const showPasskeys = async (): Promise<void> => {
    open.value = false;
    try {
      const { default: loaded } = await import('./sign-in/passkeys-dialog.tsx');
      passkeys.value = loaded;
    } catch (error) {
      say(failureOf(error).message, { tone: 'bad' });
    }
  };
  const leave = (): void => {
    signOut().catch((error: unknown) => say(failureOf(error).message, { tone: 'bad' }));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu wherever the focus is in it
    <div class="menu-frame" onKeyDown={close}>
      <button
        id="account"
        type="button"
        class="button button-quiet"
        aria-expanded={open.value}
        aria-controls="account-menu"
        aria-label={`Account of ${user.name || user.email}`}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name="person" />
        <span class="head-user">{user.name || user.email}</span>
        <Icon name="down" size={14} />
      </button>
      {open.value ? (
        <div id="account-menu" class="menu">
          <p class="menu-who">
            <strong>{user.name}</strong>
            <span>{user.email}</span>
            {workspace.value ? <span>{workspace.value.role} here</span> : null}
          </p>
          <fieldset class="menu-part">
            <legend>Colours</legend>
            {THEMES.map((one) => (
              <button
                key={one}
                type="button"
                class="button button-small"
                aria-pressed={theme.value === one}
                onClick={() => {
                  theme.value = one;
                }}
              >
                <Icon name={THEME_ICONS[one]} size={16} /> {THEME_WORDS[one]}
              </button>
            ))}
          </fieldset>
          {me.value?.signIn.passkey ? (
            <button type="button" class="menu-item" onClick={() => void showPasskeys()}>
              <Icon name="platform" /> Passkeys
            </button>
          ) : null}
          <button type="button" class="menu-item" onClick={leave}>
            <Icon name="out" /> Sign out
          </button>
        </div>
      ) : null}
      {Passkeys === null ? null : (
        <Passkeys
          onClose={() => {
            passkeys.value = null;
          }}
        />
      )}
    </div>
  );
}

/** The mark of the house. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="mark-ground" width="32" height="32" rx="7" />
      <path class="mark-line" d="M8 21.5 13.5 9l4 8 3-4.500L24 21.5" />
    </svg>
  );
}
