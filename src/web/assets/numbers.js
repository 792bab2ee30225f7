// Estimates in words.

/**
 * Returns the 95 % confidence interval of an estimate as text after its value. An unbounded interval, as that of equal
 * observations, is an empty text.
 */
export const interval = ({ low, high }, describe) => (low === null || high === null ? "" : ` ${describe(low, high)}`);
