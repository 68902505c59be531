/** What a screen is given by its address. */
export interface ScreenProps {
  /** What the address says after the screen's path: `review/42` gives `42`. */
  rest: string;
}
