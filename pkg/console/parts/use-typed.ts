import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Longer than people pause while they type. */
const TYPING_MS = 350;

/** What a field of a search holds. @param onText is given it, without spaces around it, once nothing more is typed */
export function useTyped(onText: (text: string) => void): { value: string; onValue: (value: string) => void } {
  const typed = useSignal<string | null>(null);
  useEffect(() => {
    const { value } = typed;
    if (value === null) return;
    const timer = setTimeout(() => onText(value.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return {
    value: typed.value ?? '',
    onValue: (value) => {
      typed.value = value;
    },
  };
}
