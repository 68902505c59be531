import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { LocationProvider, useLocation } from 'preact-iso';
import { followWorkspace } from '../api/events.ts';
import { Empty, NoPermission, Notice, Skeleton } from '../parts/loaded.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { type Place, placeOf, platformPath, workspacePath } from './address.ts';
import { OutboxBar } from './outbox-bar.tsx';
import type { ScreenProps } from './screen-props.ts';
import { SCREENS, type Screen } from './screens.ts';
import { currentId, firstWorkspace, type Me, may, readSession, session } from './session.ts';
import { Shell } from './shell.tsx';
import { ClaimPage } from './sign-in/claim-page.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { TokenPage } from './sign-in/token-page.tsx';

/** The console. */
export function App() {
  return (
    <LocationProvider scope="/console">
      <Site />
      <Toasts />
    </LocationProvider>
  );
}

function Site() {
  const { path } = useLocation();
  const place = placeOf(path);
  const workspaceId = place.kind === 'workspace' ? place.workspaceId : null;
  useEffect(() => {
    currentId.value = workspaceId;
  }, [workspaceId]);
  const state = session.value;
  const isIn = state.kind === 'in' && state.me.workspaces.some((one) => one.workspaceId === workspaceId);
  useEffect(() => {
    followWorkspace(isIn ? workspaceId : null);
  }, [isIn, workspaceId]);
  if (place.kind === 'claim') return <ClaimPage token={place.token} />;
  if (place.kind === 'sign-in' && place.token !== null) return <TokenPage token={place.token} />;
  if (state.kind === 'loading') return <Waiting />;
  if (state.kind === 'failed') return <Away text={state.failure.message} />;
  if (state.kind === 'out')
    return (
      <>
        <SignInPage ways={state.signIn} />
        <OutboxBar />
      </>
    );
  return (
    <Shell place={place}>
      {/* What is shown to one is nothing to the next. */}
      <Here key={state.me.user.userId} place={place} me={state.me} />
      <OutboxBar />
    </Shell>
  );
}

function Waiting() {
  return (
    <main class="alone">
      <Skeleton lines={3} />
    </main>
  );
}

function Away({ text }: { text: string }) {
  return (
    <main class="alone">
      <Notice icon="warning" title="Outrider can not be reached" tone="bad">
        <p>{text}</p>
        <button type="button" class="button" onClick={() => void readSession()}>
          Try again
        </button>
      </Notice>
    </main>
  );
}

/** What the address means to somebody who is signed in. */
function Here({ place, me }: { place: Place; me: Me }) {
  const { route } = useLocation();
  const target = startOf(place, me);
  useEffect(() => {
    if (target !== undefined) route(target, true);
  }, [target]);
  if (target !== undefined) return <Skeleton />;
  if (place.kind === 'start' || place.kind === 'sign-in') return <NoWorkspace />;
  if (place.kind !== 'workspace' && place.kind !== 'platform') return <Nowhere />;
  if (place.kind === 'workspace' && !me.workspaces.some((one) => one.workspaceId === place.workspaceId))
    return <NoPermission text="This workspace is not one of yours, or it is not there any more." />;
  // It follows the address a moment later, and what a member may depends on it.
  if (place.kind === 'workspace' && currentId.value !== place.workspaceId) return <Skeleton />;
  const isPlatform = place.kind === 'platform';
  const screen = SCREENS.find((one) => one.path === place.screen && (one.platform === true) === isPlatform);
  if (!screen) return <Nowhere />;
  if (!may(screen.scope)) return <NoPermission text={`You need the right "${screen.scope}" to see this.`} />;
  const key = `${isPlatform ? '' : place.workspaceId}/${screen.path}`;
  return <LazyScreen key={key} screen={screen} rest={place.rest} />;
}

/** Where somebody is taken who named no screen; undefined: they stay. */
function startOf(place: Place, me: Me): string | undefined {
  const names = place.kind === 'workspace' || place.kind === 'platform' ? place.screen : '';
  if (place.kind === 'platform') {
    const first = SCREENS.find((one) => one.platform && may(one.scope));
    return names === '' && first ? platformPath(first.path) : undefined;
  }
  if (place.kind !== 'start' && place.kind !== 'sign-in' && !(place.kind === 'workspace' && names === ''))
    return undefined;
  const target =
    place.kind === 'workspace'
      ? me.workspaces.find((one) => one.workspaceId === place.workspaceId)
      : firstWorkspace(me);
  if (!target) {
    const first = me.user.admin ? SCREENS.find((one) => one.platform) : undefined;
    return first && place.kind !== 'workspace' ? platformPath(first.path) : undefined;
  }
  const screen = SCREENS.find((one) => !one.platform && target.scopes.includes(one.scope)) ?? SCREENS[0];
  return workspacePath(target.workspaceId, screen?.path);
}

function Nowhere() {
  return (
    <Empty icon="search" title="Nothing is at this address">
      <p>
        <a href="/console/">To the beginning</a>
      </p>
    </Empty>
  );
}

function NoWorkspace() {
  return (
    <Empty icon="person" title="You are in no workspace yet">
      <p>Ask an owner or admin of a workspace to invite you, then open the link of that mail.</p>
    </Empty>
  );
}

/** Screens that were loaded: they are there at once the next time. */
const loaded = new Map<Screen, ComponentType<ScreenProps>>();

/** A screen, loaded when it is looked at first. */
function LazyScreen({ screen, rest }: { screen: Screen; rest: string }) {
  const failed = useSignal(false);
  const there = useSignal(loaded.has(screen));
  const [fault, mend] = useErrorBoundary();
  const load = (): void => {
    failed.value = false;
    screen
      .load()
      .then((module) => {
        loaded.set(screen, module.default);
        there.value = true;
      })
      .catch(() => {
        failed.value = true;
      });
  };
  // Once for each screen
  useEffect(() => {
    document.title = `${screen.title} · Outrider`;
    if (!there.value) load();
  }, [screen]);
  if (fault !== undefined) return <Broken error={fault} again={mend} />;
  const Component = there.value ? loaded.get(screen) : undefined;
  if (Component) return <Component rest={rest} />;
  if (!failed.value) return <Skeleton />;
  return (
    <Notice icon="warning" title="This screen could not be loaded" tone="bad">
      <p>The connection is down, or Outrider was renewed meanwhile.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </Notice>
  );
}

function Broken({ error, again }: { error: unknown; again: () => void }) {
  return (
    <div role="alert">
      <Notice icon="warning" title="This screen broke" tone="bad">
        <p>{error instanceof Error ? error.message : String(error)}</p>
        <button type="button" class="button" onClick={again}>
          Try again
        </button>
      </Notice>
    </div>
  );
}
