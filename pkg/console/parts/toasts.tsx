import { signal } from '@preact/signals';
import { Icon } from './icon.tsx';

/** A word at the edge of the page. */
export interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'bad' | 'plain';
  /** A deed of it, for example to take something back. */
  action?: { label: string; run: () => void } | undefined;
  /** Milliseconds until it goes by itself; null: when somebody closes it. */
  stays: number | null;
}

/** Those that are seen. */
export const toasts = signal<readonly Toast[]>([]);

/** More are not read. */
const MOST = 4;
const STAYS_MS = 6_000;
let lastId = 0;

/** Says something at the edge of the page; what went wrong stays until it is closed. @returns takes it away */
export function say(
  text: string,
  { tone = 'plain', action, stays }: Partial<Pick<Toast, 'tone' | 'action' | 'stays'>> = {},
): () => void {
  const id = ++lastId;
  const toast: Toast = { id, text, tone, action, stays: stays ?? (tone === 'bad' ? null : STAYS_MS) };
  toasts.value = [...toasts.value, toast].slice(-MOST);
  if (toast.stays !== null) setTimeout(() => close(id), toast.stays);
  return () => close(id);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

/** The words at the edge of the page. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone, action }) => (
        <div key={id} class={`toast toast-${tone}`}>
          {tone === 'plain' ? null : <Icon name={tone === 'good' ? 'check' : 'warning'} />}
          <span class="toast-text">{text}</span>
          {action === undefined ? null : (
            <button
              type="button"
              class="button button-small"
              onClick={() => {
                close(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="button button-quiet button-icon" aria-label="Close" onClick={() => close(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
