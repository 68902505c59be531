import { useSignal } from '@preact/signals';
import { newKey } from '../api/call.ts';
import { type Failure, failureOf } from '../api/http.ts';

/** Something that a member does, of which one is under way at a time. */
export interface Deed {
  /** It is under way. */
  readonly busy: boolean;
  /** Why it was not done, until it is tried again. */
  readonly failure: Failure | undefined;
  /** Does it. @param work is given the key by which the server knows the same deed again, after an answer that got lost */
  run(work: (key: string) => Promise<void>): void;
  /** Forgets what went wrong. */
  clear(): void;
}

/** A deed of a member: pressed twice it is done once, tried again it has the same key, and what went wrong is kept to be shown. */
export function useDeed(): Deed {
  const busy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const key = useSignal('');
  const run = async (work: (key: string) => Promise<void>): Promise<void> => {
    if (busy.value) return;
    busy.value = true;
    if (key.value === '' || failure.value?.mayPass !== true) key.value = newKey();
    failure.value = undefined;
    try {
      await work(key.value);
      key.value = '';
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      busy.value = false;
    }
  };
  return {
    get busy() {
      return busy.value;
    },
    get failure() {
      return failure.value;
    },
    run: (work) => void run(work),
    clear: () => {
      failure.value = undefined;
    },
  };
}
