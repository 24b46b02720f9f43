/**
 * Conditional logit with "none of them" as one more choice: for each query the chance of a candidate is e^(weights · features) over
 * one plus the sum of it over all candidates. Fitted by Newton's method with bounds and a ridge. Knows numbers only.
 */

/** Solves a symmetric positive system by Cholesky's method. */
function solve(matrix, right) {
  const size = right.length
  const lower = matrix.map(row => Float64Array.from(row))
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = lower[i][j]
      for (let k = 0; k < j; k++) sum -= lower[i][k] * lower[j][k]
      lower[i][j] = i === j ? Math.sqrt(Math.max(sum, 1e-9)) : sum / lower[j][j]
    }
  }
  const out = Float64Array.from(right)
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) out[i] -= lower[i][k] * out[k]
    out[i] /= lower[i][i]
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) out[i] -= lower[k][i] * out[k]
    out[i] /= lower[i][i]
  }
  return out
}

const dot = (weights, row) => {
  let sum = 0
  for (let k = 0; k < weights.length; k++) sum += weights[k] * row[k]
  return sum
}

/** Log-odds of each candidate of a query. */
export const oddsOf = (weights, query) => query.rows.map(row => dot(weights, row))

/** Negative log-likelihood with its gradient and curvature. */
function look(queries, weights, ridge, centre, curved) {
  const size = weights.length
  let loss = 0
  const slope = new Float64Array(size)
  const curve = curved ? Array.from({ length: size }, () => new Float64Array(size)) : null
  const mean = new Float64Array(size)
  for (const query of queries) {
    const odds = oddsOf(weights, query)
    const top = Math.max(0, ...odds)
    let all = Math.exp(-top)
    for (const one of odds) all += Math.exp(one - top)
    const chosen = query.right < 0 ? 0 : odds[query.right]
    loss += query.weight * (top + Math.log(all) - chosen)
    mean.fill(0)
    for (const [at, row] of query.rows.entries()) {
      const chance = Math.exp(odds[at] - top) / all
      if (chance < 1e-7 && at !== query.right) continue
      for (let k = 0; k < size; k++) mean[k] += chance * row[k]
      const pull = query.weight * (chance - (at === query.right ? 1 : 0))
      for (let k = 0; k < size; k++) slope[k] += pull * row[k]
      if (curve === null) continue
      for (let i = 0; i < size; i++) {
        const part = query.weight * chance * row[i]
        if (part !== 0) for (let j = 0; j <= i; j++) curve[i][j] += part * row[j]
      }
    }
    if (curve === null) continue
    for (let i = 0; i < size; i++) for (let j = 0; j <= i; j++) curve[i][j] -= query.weight * mean[i] * mean[j]
  }
  for (let k = 0; k < size; k++) {
    const away = weights[k] - centre[k]
    loss += (ridge / 2) * away * away
    slope[k] += ridge * away
    if (curve === null) continue
    curve[k][k] += ridge
    for (let j = 0; j < k; j++) curve[j][k] = curve[k][j]
  }
  return { loss, slope, curve }
}

/**
 * Fits the weights. `queries` hold `rows` (feature vectors), `right` (-1 for none) and `weight`; `low` and `high` bound each weight
 * (equal bounds state it). The same input gives the same weights.
 */
export function fitWeights(queries, low, high, ridge) {
  const size = low.length
  const within = list => list.map((value, k) => Math.min(high[k], Math.max(low[k], value)))
  const centre = within(new Float64Array(size))
  let weights = Float64Array.from(centre)
  for (let round = 0; round < 60; round++) {
    const { loss, slope, curve } = look(queries, weights, ridge, centre, true)
    const free = [...weights.keys()].filter(
      k => low[k] < high[k] && !(weights[k] <= low[k] && slope[k] > 0) && !(weights[k] >= high[k] && slope[k] < 0),
    )
    const step = solve(
      free.map(i => free.map(j => curve[i][j])),
      free.map(k => slope[k]),
    )
    let moved = null
    for (let size = 1; size > 1e-4 && moved === null; size /= 2) {
      const next = Float64Array.from(weights)
      for (const [at, k] of free.entries()) next[k] -= size * step[at]
      const kept = Float64Array.from(within(next))
      if (look(queries, kept, ridge, centre, false).loss < loss - 1e-9) moved = kept
    }
    if (moved === null) break
    const change = Math.max(...moved.map((value, k) => Math.abs(value - weights[k])))
    weights = moved
    if (change < 1e-4) break
  }
  return weights
}
