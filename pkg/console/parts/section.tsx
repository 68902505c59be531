import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './section.css';

/** A part of a screen under a title of its own. */
export function Section({
  title,
  children,
  deeds,
  about,
}: {
  title: string;
  children: ComponentChildren;
  /** What can be done with it, beside its title. */
  deeds?: ComponentChildren;
  /** A line below the title. */
  about?: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="section card" aria-labelledby={id}>
      <header class="section-head">
        <h2 id={id}>{title}</h2>
        {deeds === undefined ? null : <div class="section-deeds">{deeds}</div>}
        {about === undefined ? null : <p class="section-about hint">{about}</p>}
      </header>
      <div class="section-body">{children}</div>
    </section>
  );
}
