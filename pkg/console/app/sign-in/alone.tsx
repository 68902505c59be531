import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from '../shell.tsx';

/** A page of somebody who is not in yet. */
export function Alone({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Outrider`;
  }, [title]);
  return (
    <main class="alone">
      <div class="alone-card">
        <p class="alone-brand">
          <Mark size={32} /> Outrider
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
