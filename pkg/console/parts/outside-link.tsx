import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

/** An address that others wrote, as a link where it leads to a page of the web; else its words alone. */
export function OutsideLink({ href, children }: { href: string; children?: ComponentChildren }) {
  const shown = children ?? href.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
  if (!isPage(href)) return <span>{shown}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" class="outside">
      {shown}
      <Icon name="outside" size={14} />
      <span class="unseen">(opens another page)</span>
    </a>
  );
}

/** No `javascript:`, no address of ours that acts by itself. */
function isPage(href: string): boolean {
  try {
    const { protocol } = new URL(href);
    return protocol === 'https:' || protocol === 'http:';
  } catch {
    return false;
  }
}
