//! Classes of leads.

/// Smallest absolute leads of the classes above a tie.
const STEPS: [i32; 6] = [1, 3, 6, 11, 21, 41];

/// Number of classes of leads: a tie, and those above and below.
pub const LEADS: usize = 2 * STEPS.len() + 1;

/// Returns the class of a lead, a score minus the best score of the others.
pub(super) fn lead_class(lead: i32) -> usize {
    let distance = STEPS.iter().filter(|&&step| step <= lead.abs()).count();
    if lead < 0 { STEPS.len() - distance } else { STEPS.len() + distance }
}

/// Returns the smallest and the largest lead of a class, in points; `None` where it is open.
pub fn lead_limits(class: usize) -> [Option<i32>; 2] {
    let Some(above) = class.checked_sub(STEPS.len()) else {
        let [low, high] = lead_limits(LEADS - 1 - class);
        return [high.map(|lead| -lead), low.map(|lead| -lead)];
    };
    match above {
        0 => [Some(0), Some(0)],
        above => [Some(STEPS[above - 1]), STEPS.get(above).map(|next| next - 1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_cover_all_leads_without_overlap() {
        for lead in -100..=100 {
            let is_in = |&class: &usize| {
                let [low, high] = lead_limits(class);
                low.is_none_or(|low| low <= lead) && high.is_none_or(|high| lead <= high)
            };
            let classes: Vec<_> = (0..LEADS).filter(is_in).collect();
            assert_eq!(classes, [lead_class(lead)], "{lead}");
        }
        assert_eq!(lead_limits(0), [None, Some(-41)]);
        assert_eq!(lead_limits(LEADS - 1), [Some(41), None]);
    }
}
