//! Clusters of points by k-means (Lloyd 1982), with initial clusters by repeated division (Su & Dy
//! 2007), so that the result depends on the points only.

/// Maximum number of iterations; most sets of points need some ten.
const MAX_ITERATIONS: usize = 100;

/// A division of points into clusters.
#[derive(Clone, PartialEq, Debug)]
pub struct Clusters {
    /// The mean of the points of each cluster.
    pub centres: Vec<Vec<f64>>,
    /// Sum of the squared distances of the points from their centres.
    pub within: f64,
    /// For each point, the index of its cluster.
    pub of_points: Vec<usize>,
}

impl Clusters {
    /// Divides points into the number of clusters, of several, with the largest ratio of the
    /// variance between the clusters to that within them (Caliński & Harabasz 1974). Returns `None`
    /// if no number divides the points into clusters that all have points.
    pub fn best_of(points: &[Vec<f64>], numbers: impl IntoIterator<Item = usize>) -> Option<Self> {
        let all = Self::new(points, 1)?.within;
        let index = |clusters: &Self| {
            let k = clusters.centres.len() as f64;
            let between = (all - clusters.within) / (k - 1.0);
            between / (clusters.within / (points.len() as f64 - k)).max(f64::MIN_POSITIVE)
        };
        let divisions = numbers.into_iter().filter_map(|number| Self::new(points, number));
        divisions.max_by(|one, other| index(one).total_cmp(&index(other)))
    }

    /// Divides points into a number of clusters; `None` if a cluster has no point.
    pub fn new(points: &[Vec<f64>], number: usize) -> Option<Self> {
        if points.is_empty() {
            return None;
        }
        let mut clusters =
            Self { centres: Vec::new(), within: 0.0, of_points: vec![0; points.len()] };
        clusters.update_centres(points, 1)?;
        for size in 2..=number {
            clusters.divide(points)?;
            clusters.update_centres(points, size)?;
        }
        for _ in 0..MAX_ITERATIONS {
            let of_points: Vec<_> = points.iter().map(|point| clusters.nearest(point)).collect();
            if of_points == clusters.of_points {
                break;
            }
            clusters.of_points = of_points;
            clusters.update_centres(points, number)?;
        }
        Some(clusters)
    }

    /// Returns the index of the cluster with the nearest centre.
    pub fn nearest(&self, point: &[f64]) -> usize {
        let distances = self.centres.iter().map(|centre| squared_distance(centre, point));
        let nearest = distances.enumerate().min_by(|one, other| one.1.total_cmp(&other.1));
        nearest.map_or(0, |(index, _)| index)
    }

    /// Divides the cluster and the coordinate with the largest sum of squared deviations at the
    /// mean.
    fn divide(&mut self, points: &[Vec<f64>]) -> Option<()> {
        let mut sums = vec![vec![0.0; points[0].len()]; self.centres.len()];
        for (point, &cluster) in points.iter().zip(&self.of_points) {
            for (axis, value) in point.iter().enumerate() {
                sums[cluster][axis] += (value - self.centres[cluster][axis]).powi(2);
            }
        }
        let all = sums.iter().enumerate().flat_map(|(cluster, sums)| {
            sums.iter().enumerate().map(move |(axis, &sum)| (cluster, axis, sum))
        });
        let (widest, axis, _) = all.max_by(|one, other| one.2.total_cmp(&other.2))?;
        let limit = self.centres[widest][axis];
        let new = self.centres.len();
        for (point, cluster) in points.iter().zip(&mut self.of_points) {
            if *cluster == widest && point[axis] > limit {
                *cluster = new;
            }
        }
        Some(())
    }

    /// Computes the centres of this number of clusters; `None` if one has no point.
    fn update_centres(&mut self, points: &[Vec<f64>], number: usize) -> Option<()> {
        let mut sums = vec![(0.0, vec![0.0; points[0].len()]); number];
        for (point, &cluster) in points.iter().zip(&self.of_points) {
            let (n, sum) = &mut sums[cluster];
            *n += 1.0;
            sum.iter_mut().zip(point).for_each(|(sum, value)| *sum += value);
        }
        if sums.iter().any(|(n, _)| *n == 0.0) {
            return None;
        }
        let mean = |(n, sum): (f64, Vec<f64>)| sum.into_iter().map(|sum| sum / n).collect();
        self.centres = sums.into_iter().map(mean).collect();
        let own = points.iter().zip(&self.of_points);
        self.within =
            own.map(|(point, &cluster)| squared_distance(&self.centres[cluster], point)).sum();
        Some(())
    }
}

fn squared_distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot continue should fail at once")]
mod tests {
    use super::*;

    /// Returns points around three centres, a different number around each.
    fn points() -> Vec<Vec<f64>> {
        let around = |(x, y, n): (f64, f64, u32)| {
            (0..n).map(move |i| vec![x + f64::from(i % 3) / 10.0, y + f64::from(i % 5) / 10.0])
        };
        [(0.0, 0.0, 30), (5.0, 0.0, 20), (0.0, 7.0, 10)].into_iter().flat_map(around).collect()
    }

    #[test]
    fn separate_groups_are_found() {
        let clusters = Clusters::best_of(&points(), 2..=5).unwrap();
        let mut sizes = [0; 3];
        clusters.of_points.iter().for_each(|&cluster| sizes[cluster] += 1);
        sizes.sort_unstable();
        assert_eq!(sizes, [10, 20, 30]);
        assert_eq!(clusters.of_points[..30], vec![clusters.of_points[0]; 30]);
        assert_eq!(clusters.nearest(&[4.0, 1.0]), clusters.of_points[30]);
    }

    #[test]
    fn equal_points_are_not_divided() {
        let points = vec![vec![1.0, 2.0]; 8];
        assert_eq!(Clusters::new(&points, 2), None);
        assert!(Clusters::new(&points, 1).unwrap().within.abs() < 1e-12);
        assert_eq!(Clusters::new(&[], 1), None);
    }
}
