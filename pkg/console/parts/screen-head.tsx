import type { ComponentChildren } from 'preact';

/** The title of a screen, and what can be done with all of it. */
export function ScreenHead({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <header class="screen-head">
      <h1>
        <bdi>{title}</bdi>
      </h1>
      {children === undefined ? null : <div class="screen-deeds">{children}</div>}
    </header>
  );
}
