import { Icon } from './icon.tsx';
import './way-back.css';

/** The way to where somebody came from. */
export function WayBack({ href, to }: { href: string; to: string }) {
  return (
    <p class="way-back">
      <a href={href}>
        <Icon name="left" size={16} /> {to}
      </a>
    </p>
  );
}
