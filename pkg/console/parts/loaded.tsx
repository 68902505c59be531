import type { ComponentChildren } from 'preact';
import type { Failure } from '../api/http.ts';
import type { Resource } from '../api/resource.ts';
import { Icon, type IconName } from './icon.tsx';

export interface LoadedProps<T> {
  of: Resource<T>;
  /** How many lines stand in for what is not there yet. */
  lines?: number;
  /** What is shown of it. */
  children: (data: T) => ComponentChildren;
  /** What is shown instead, where there is nothing in it. */
  empty?: { when: (data: T) => boolean; show: ComponentChildren };
}

/**
 * What was read, or what stands in its place: it is being read, there is nothing, the member may not see it, it failed. What was read
 * before stays where reading it again fails, with a line above that says so.
 */
export function Loaded<T>({ of, lines = 6, children, empty }: LoadedProps<T>) {
  const { data, failure, busy } = of.state.value;
  if (data === undefined) {
    if (!failure || (busy && failure.mayPass)) return <Skeleton lines={lines} />;
    return failure.kind === 'denied' ? (
      <NoPermission text={failure.message} />
    ) : (
      <Failed failure={failure} again={of} />
    );
  }
  const body = empty?.when(data) ? empty.show : children(data);
  if (!failure) return <>{body}</>;
  return (
    <>
      <Stale failure={failure} again={of} />
      {body}
    </>
  );
}

/** Lines in place of what is being read. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  );
}

interface NoticeProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  tone?: 'calm' | 'bad';
}

/** A word in the middle of where something else would stand. */
export function Notice({ icon, title, children, tone = 'calm' }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`}>
      <Icon name={icon} size={28} />
      <p class="notice-title">{title}</p>
      {children === undefined ? null : <div class="notice-text">{children}</div>}
    </div>
  );
}

/** Nothing is there, and what to do about it. */
export function Empty({ icon = 'check', title, children }: Partial<NoticeProps> & { title: string }) {
  return (
    <Notice icon={icon} title={title}>
      {children}
    </Notice>
  );
}

/** The member may not see it. */
export function NoPermission({ text }: { text: string }) {
  return (
    <Notice icon="platform" title="Not yours to see">
      <p>{text}</p>
      <p>An owner or admin of the workspace can give you another role.</p>
    </Notice>
  );
}

function Failed({ failure, again }: { failure: Failure; again: Resource<unknown> }) {
  return (
    <div role="alert">
      <Notice icon="warning" title="This could not be loaded" tone="bad">
        <p>{failure.message}</p>
        <button type="button" class="button" onClick={() => again.reload()}>
          <Icon name="refresh" /> Try again
        </button>
      </Notice>
    </div>
  );
}

function Stale({ failure, again }: { failure: Failure; again: Resource<unknown> }) {
  return (
    <div class="banner banner-warn" role="status">
      <Icon name="warning" />
      <span>What you see may be old: {failure.message}</span>
      <button type="button" class="button button-small" onClick={() => again.reload()}>
        Try again
      </button>
    </div>
  );
}

/** A failure of something that was asked for, beside where it was. */
export function FailureLine({ failure }: { failure: Failure | undefined }) {
  if (!failure) return null;
  return (
    <p class="failure" role="alert">
      <Icon name="warning" size={16} /> <span>{failure.message}</span>
    </p>
  );
}
