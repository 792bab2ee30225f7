//! Checks of whole positions: the numbers of components, and consistency with the phase.

use std::collections::BTreeSet;

use super::super::{
    CommonRiver,
    components::{MAX_TOKENS, Structure, Tile, Token, Tokens},
    phases::{Mode, Phase, PolicyKind, SeatOrder},
    pieces::Status,
    state::State,
};
use watershed_engine::{
    game::{ActionSet, Game, Seat, Turn},
    games::position_text::{Expect, expect, expect_all},
};

/// Checks that the position can occur in a game, as far as one position shows it. The error is the
/// expectation that does not hold.
pub(super) fn check(game: &CommonRiver, state: &State) -> Expect {
    check_components(game, state)?;
    check_camps(game, state)?;
    check_setup(game, state)?;
    check_unused_fields(state)?;
    check_phase(game, state)
}

fn check_components(game: &CommonRiver, state: &State) -> Expect {
    for seat in game.all_seats() {
        for kind in Structure::ALL {
            let (piece, built) = if kind.is_stick() {
                ("stick", CommonRiver::count_sticks(state, seat))
            } else {
                (kind.name(), state.structure_count(seat, kind))
            };
            let owned = game.pieces[kind as usize];
            expect(built <= owned, format!("at most {owned} of `{piece}` for each seat"))?;
        }
    }
    for (card, weather) in game.data.weather.iter().enumerate() {
        let shown =
            (0..state.almanac_len()).filter(|&index| state.almanac_card(index) == Some(card));
        let fits = state.unseen_count(card) + shown.count() as u32 <= weather.count.get();
        let name = game.data.weather_name(card);
        expect(fits, format!("at most {} of weather {name}", weather.count.get()))?;
    }
    let loose = state.loose_tokens.iter().map(|flow| u64::from(flow.total()));
    let held = state.stock.iter().map(|tokens| u64::from(tokens.total())).chain(loose).sum::<u64>();
    expect(held <= MAX_TOKENS, format!("at most {MAX_TOKENS} tokens in all"))?;
    let fits =
        game.city_cost.covers(&state.site) && (state.city.is_some() || state.site.is_empty());
    let needed = !state.city_complete && state.site != game.city_cost
        || state.city_complete && state.site.is_empty();
    expect(fits && needed, "only missing tokens on the site of the City")?;
    let covered = state.city.map_or(0, |tile| game.map.slots[tile.index()]);
    expect((state.filled | state.polluted) & covered == 0, "no slots on the tile of the City")
}

fn check_camps(game: &CommonRiver, state: &State) -> Expect {
    let tiles: Vec<_> = game.all_seats().filter_map(|seat| state.camp(seat).tile()).collect();
    let pitched = tiles.len();
    let fitting = tiles.iter().all(|tile| game.map.camp_slots & tile.bit() != 0);
    let different = state.camp_tiles().count_ones() as usize == pitched;
    expect(fitting && different, "camps on different tiles with camp slots")?;
    let in_order = |steps| state.first_player.clockwise(steps, game.players);
    let expected = match state.phase {
        Phase::Camps => {
            pitched < game.players
                && (0..pitched).all(|steps| state.camp(in_order(steps)).tile().is_some())
                && state.decider == in_order(pitched)
        }
        _ if state.day == 0 => pitched == 0,
        _ => pitched == game.players,
    };
    expect(expected, "the camps of this phase")?;
    // The order is that of the beginning of a step, and only the actions of structures move camps.
    let mut updated = *state;
    game.update_camp_order(&mut updated);
    let expected = match state.phase {
        _ if state.day == 0 => state.camp_order == SeatOrder::default(),
        Phase::ChooseStructure | Phase::Act | Phase::Take | Phase::Over => true,
        _ => state.camp_order == updated.camp_order,
    };
    expect(expected, "the order of the camps")
}

fn check_setup(game: &CommonRiver, state: &State) -> Expect {
    let setup = matches!(
        state.phase,
        Phase::Mode | Phase::FirstPlayer | Phase::Almanac | Phase::Roles | Phase::Camps
    );
    expect(setup == (state.day == 0), "a setup phase on day 0 and on no other day")?;
    let roles: Vec<_> = game.all_seats().map(|seat| state.role(seat)).collect();
    let dealt = roles.iter().flatten().count();
    let different = roles.iter().flatten().collect::<BTreeSet<_>>().len() == dealt;
    let expected = match state.phase {
        _ if state.mode != Mode::Roles => dealt == 0,
        Phase::FirstPlayer | Phase::Almanac => dealt == 0,
        Phase::Roles => {
            state.decider.index() == dealt && roles[..dealt].iter().all(Option::is_some)
        }
        _ => dealt == game.players,
    };
    expect(different && expected, "the roles of this phase, each once")?;
    let unseen: u32 = (0..game.data.weather.len()).map(|card| state.unseen_count(card)).sum();
    let (shown, full) = (state.almanac_len(), game.data.rules.almanac.get() as usize);
    let expected = match state.phase {
        Phase::Mode | Phase::FirstPlayer => shown == 0,
        Phase::Almanac => shown < full,
        Phase::Night => shown + 1 == full && unseen > 0,
        _ => shown == full || shown > 0 && unseen == 0,
    };
    let discarded =
        game.data.weather.iter().map(|card| card.count.get()).sum::<u32>() - unseen - shown as u32;
    let days_over =
        if state.phase == Phase::Night { state.day() } else { state.day().saturating_sub(1) };
    expect(expected && discarded == days_over, "the weather cards of this day")
}

/// Checks that fields have their initial value in phases that do not use them. A river that died
/// may have stopped any phase, so nothing is checked after the end.
fn check_unused_fields(state: &State) -> Expect {
    let phase = state.phase;
    if phase == Phase::Over {
        return Ok(());
    }
    let offering = matches!(phase, Phase::Give | Phase::Get | Phase::Answer);
    let trading = offering || phase == Phase::Offer;
    let acting = matches!(phase, Phase::Act | Phase::Take);
    let voting = matches!(phase, Phase::Vote | Phase::Bid);
    let choosing = acting || phase == Phase::ChooseStructure;
    let counting = trading || matches!(phase, Phase::Take | Phase::Sell | Phase::Propose);
    let taking_tokens =
        matches!(phase, Phase::Sell | Phase::Salvage | Phase::Contribute | Phase::Buy);
    let succession = acting || taking_tokens || offering && phase != Phase::Answer;
    let has_offer = !state.offered_tokens.is_empty() || !state.requested_tokens.is_empty();
    let has_round = state.offer_round > 0 || state.offer_made;
    let has_place = state.place > 0 || state.privileged;
    let has_proposal = state.proposal.is_some();
    let has_votes = state.votes != [0; 2] || state.yes_voters > 0;
    let actor_fits = acting == state.actor.is_some();
    let group_fits = choosing == state.group_begun;
    expect_all([
        (offering || !has_offer, "no offer in this phase"),
        (offering || voting || state.partner_or_voter == 0, "`other:0` in this phase"),
        (trading || !has_round, "no round of offers in this phase"),
        (actor_fits, "`actor:` in the turn of a structure and in no other phase"),
        (choosing || !has_place, "`place:0` in this phase"),
        (group_fits, "`group:1` while structures act and `group:0` in other phases"),
        (voting || phase == Phase::ChooseTile || !has_proposal, "no proposal in this phase"),
        (voting || !has_votes, "no votes in this phase"),
        (phase == Phase::Bid || state.settled_seats == 0, "`settled:-` in this phase"),
        (counting || state.step_count == 0, "`count:0` in this phase"),
        (succession || state.last_choice == 0, "`last:0` in this phase"),
        (phase == Phase::Sell || !state.second_sale, "`second_sale:0` in this phase"),
    ])
}

/// Checks the preconditions of the actions of each phase.
fn check_phase(game: &CommonRiver, state: &State) -> Expect {
    let has_order = !matches!(state.phase, Phase::Net | Phase::Over) && state.day > 0;
    let in_order = usize::from(state.cursor) < game.players;
    expect(in_order || !has_order, "`cursor:` with a position in the order")?;
    let order = |place: u8| state.camp_order.get(place.into());
    match state.phase {
        Phase::Offer | Phase::Give | Phase::Get | Phase::Answer => {
            let (seat, partner) = (order(state.cursor), Seat::new(state.partner_or_voter.into()));
            let held = state.stock(seat).covers(&state.offered_tokens)
                && state.stock(partner).covers(&state.requested_tokens);
            let within_limit = state.offered_tokens.total().max(state.requested_tokens.total())
                <= game.data.negotiation.offer_max_tokens.get();
            let disjoint = state.offered_tokens.kinds() & state.requested_tokens.kinds() == 0;
            let is_open = game.held_windows[state.window as usize];
            expect(held && within_limit && disjoint && is_open, "an offer that can be made")?;
            expect(state.phase == Phase::Offer || seat != partner, "an offer to another seat")?;
        }
        Phase::Act | Phase::Take => {
            let is_valid = state.actor.is_some_and(|actor| {
                let (seat, tile) = (state.decider, actor.tile);
                let is_fresh = match (actor.kind, tile.is_land()) {
                    (Structure::Camp, _) => state.camp(seat).is_fresh_on(tile),
                    (Structure::Boat, false) => state.boats(seat, tile.row()).fresh() > 0,
                    (Structure::Mill, true) => state.stack(seat, tile).fresh_mills() > 0,
                    (Structure::Excavator, true) => {
                        state.stack(seat, tile).excavators(Status::Fresh) > 0
                    }
                    _ => false,
                };
                is_fresh
                    && tile.row() == state.row()
                    && (state.phase == Phase::Act
                        || matches!(actor.kind, Structure::Excavator | Structure::Mill))
            });
            expect(is_valid, "`actor:` with a fresh structure of the seat in this row")?;
            let is_tile = usize::from(state.last_choice) < Tile::COUNT;
            expect(is_tile || state.phase == Phase::Act, "`last:` with a tile")?;
        }
        Phase::Sell => {
            let is_below = u32::from(state.step_count) < game.data.rules.tokens_per_gold.get();
            expect(is_below, "`count:` below the price of gold")?;
        }
        Phase::ChooseTile | Phase::Vote | Phase::Bid => {
            let is_valid = state.proposal.is_some_and(|(policy, tile)| {
                tile.is_some() == (policy.has_tile() && state.phase != Phase::ChooseTile)
                    && tile.is_none_or(|tile| {
                        policy != PolicyKind::City || tile.is_land() && state.city.is_none()
                    })
            });
            expect(is_valid, "`proposal:` with the policy of the vote")?;
            let votes = u64::from(state.votes[0].max(state.votes[1]))
                + u64::from(state.stock.iter().map(Tokens::total).max().unwrap_or(0));
            expect(votes <= MAX_TOKENS, "fewer votes")?;
        }
        _ => {}
    }
    let counts_tokens = matches!(
        state.phase,
        Phase::Contribute | Phase::Buy | Phase::Give | Phase::Get | Phase::Sell
    );
    let is_token = usize::from(state.last_choice) < Token::ALL.len();
    expect(is_token || !counts_tokens, "`last:` with a kind of token")?;
    let is_seat = usize::from(state.step_count) < game.players;
    expect(is_seat || state.phase != Phase::Propose, "`count:` with seats that passed")?;
    let mut advanced = *state;
    game.advance(&mut advanced);
    let decides =
        !matches!(game.turn(state), Turn::Seat(_)) || !game.legal_actions(state).is_empty();
    expect(advanced == *state && decides, "a position in which this phase awaits a choice")
}
