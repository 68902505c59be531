import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

const PLACE = 'outrider.keys';

/** Whether single keys do something; people who speak to their machine, or type by accident, switch them off. */
export const keysOn = signal(localStorage.getItem(PLACE) !== 'off');

effect(() => {
  if (keysOn.value) localStorage.removeItem(PLACE);
  else localStorage.setItem(PLACE, 'off');
});

/** Where keys are for what is typed. */
const TYPED = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], dialog';

/**
 * What single keys do while a screen is seen: nothing inside of fields and dialogs, with a modifier, or where they are switched off. `?`
 * works always, as it shows the switch.
 */
export function useKeys(deeds: Readonly<Record<string, () => void>>): void {
  const current = useRef(deeds);
  current.current = deeds;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      // A key that is held means one thing once, not as many as the machine repeats it.
      if (event.repeat || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return;
      if (event.target instanceof Element && event.target.closest(TYPED) !== null) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (!keysOn.value && event.key !== '?') return;
      const deed = current.current[event.key];
      if (!deed) return;
      event.preventDefault();
      deed();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}
