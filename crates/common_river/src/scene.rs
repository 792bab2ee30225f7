//! Positions of We All Take from the River for people. [`map`] describes the tiles.

mod map;

use super::{
    CommonRiver, cells,
    components::{Objective, Structure, Token, Tokens},
    phases::{Mode, Phase, PolicyKind, TradeWindow},
    state::State,
};
use watershed_engine::{
    bits::ones,
    game::{Game as _, Seat, Turn},
    games::labels::{count, player, words_of},
    scene::{Area, Chip, Fact, Hue, Icon, Look, Pattern, Scene, capitalize},
};

/// Height of the area of a seat with two rows of tokens.
const SEAT_HEIGHT: usize = 116;

/// Describes a position as `viewer` sees it, without the roles of the other seats, or as somebody
/// sees it who knows everything. Scores are left out, because they depend on the roles.
pub(super) fn scene(game: &CommonRiver, state: &State, viewer: Option<Seat>) -> Scene {
    let day = match state.phase {
        Phase::Over => format!("end of the game on day {}", state.day),
        _ if state.day == 0 => "setup".to_owned(),
        _ => format!("day {}", state.day),
    };
    let mut areas = vec![shared_area(game, state)];
    areas.extend(game.all_seats().map(|seat| seat_area(game, state, viewer, seat)));
    let players = count(game.players as u32, "player");
    Scene {
        title: format!("We All Take from the River, {players}, {day}"),
        turn: turn_text(game, state),
        areas,
    }
}

fn turn_text(game: &CommonRiver, state: &State) -> String {
    let name = match game.turn(state) {
        Turn::Seat(seat) => capitalize(&player(seat)),
        _ => "Chance".to_owned(),
    };
    let actor = state.actor.map_or_else(
        || "a structure".to_owned(),
        |actor| format!("its {} on {}", actor.kind.name(), game.tile_names.get(actor.tile)),
    );
    let what = match state.phase {
        Phase::Mode => "draws the mode of the game".to_owned(),
        Phase::FirstPlayer => "draws the first player".to_owned(),
        Phase::Almanac => "draws a weather card of the almanac".to_owned(),
        Phase::Roles => "deals a role".to_owned(),
        Phase::Camps => "pitches its camp".to_owned(),
        Phase::Die => "rolls the die of the day".to_owned(),
        Phase::Offer => "makes an offer or passes".to_owned(),
        Phase::Give => "chooses a token that its offer gives".to_owned(),
        Phase::Get => "chooses a token that its offer asks for".to_owned(),
        Phase::Answer => format!(
            "accepts or refuses the offer (to receive {}, to give {})",
            tokens_text(&state.offered_tokens),
            tokens_text(&state.requested_tokens)
        ),
        Phase::ChooseStructure => "chooses the structure that acts next".to_owned(),
        Phase::Act => match game.data.rules.build_fish.get() {
            0 => format!("acts with {actor}"),
            fish => format!("acts with {actor}; to build or remove costs {fish} fish once"),
        },
        Phase::Take => format!("takes one more token with {actor}"),
        Phase::Net => "draws the token that a net collects".to_owned(),
        Phase::Sell => format!(
            "sells a token or ends the sale; 1 gold for {}",
            count(game.data.rules.tokens_per_gold.get(), "token")
        ),
        Phase::Propose => "proposes a policy or passes".to_owned(),
        Phase::ChooseTile => "chooses the tile of its proposal".to_owned(),
        Phase::Vote => "votes".to_owned(),
        Phase::Bid => "buys one more vote or declines".to_owned(),
        Phase::Salvage => "takes a structure back from a protected tile".to_owned(),
        Phase::Contribute => "adds a token to the site of the City".to_owned(),
        Phase::Buy => "buys a token from the City".to_owned(),
        Phase::Night => "draws the next weather card".to_owned(),
        Phase::Over => return "The game has ended.".to_owned(),
    };
    format!("{name} {what}.")
}

/// Describes the map and the day: weather, water, policies, and the negotiation that is going on.
fn shared_area(game: &CommonRiver, state: &State) -> Area {
    let data = &game.data;
    let weather = |card: usize| {
        let card = &data.weather[card];
        let name = words_of(card.id.as_str());
        let storm = if card.storm && name != "Storm" { ", a Storm" } else { "" };
        let modifier = card.modifier.signed();
        let name = format!("{name} {modifier:+}{storm}");
        let icon = match modifier {
            _ if card.storm => Icon::Storm,
            ..0 => Icon::Sun,
            0 => Icon::Cloud,
            1.. => Icon::Rain,
        };
        Chip::piece(&*name, WEATHER).coded(&*name).drawn(icon)
    };
    let almanac = (0..state.almanac_len()).filter_map(|index| state.almanac_card(index));
    let almanac = almanac.map(weather);
    let unseen = (0..data.weather.len()).filter(|&card| state.unseen_count(card) > 0);
    let unseen = unseen.map(|card| {
        format!("{} {}", state.unseen_count(card), words_of(data.weather_name(card)).to_lowercase())
    });
    let mode = match state.mode {
        Mode::Solo => "solo",
        Mode::Competitive => "competitive",
        Mode::Coop => "cooperative",
        Mode::Roles => "roles",
    };
    let mut facts = vec![Fact::text("Mode", mode), Fact::new("Almanac, today first", almanac)];
    let unseen: Vec<_> = unseen.collect();
    if !unseen.is_empty() {
        facts.push(Fact::text("Unseen cards", unseen.join(", ")));
    }
    facts.push(Fact::text("Water", state.water));
    if state.carried_water != 0 {
        facts.push(Fact::text("carried to the next day", state.carried_water));
    }
    if state.day > 0 {
        facts.push(Fact::text("Row", state.row + 1));
        let order = game.all_seats().map(|seat| state.camp_order.get(seat.index()).index() + 1);
        let order: Vec<_> = order.map(|number| number.to_string()).collect();
        facts.push(Fact::text("Camp order", order.join(", ")));
    }
    facts.push(Fact::text("Pollution on the map", state.pollution()));
    let sale = if state.subsidized { "possible" } else { "not possible" };
    facts.push(Fact::text("Sale of pollution", sale));
    facts.extend(city_facts(game, state));
    facts.extend(negotiation_facts(game, state));
    Area {
        title: "Open to all".to_owned(),
        facts,
        grids: map::grids(game, state),
        ..Area::default()
    }
}

fn city_facts(game: &CommonRiver, state: &State) -> Vec<Fact> {
    let Some(tile) = state.city else { return vec![Fact::text("City", "none")] };
    let name = game.tile_names.get(tile);
    if state.city_complete {
        return vec![Fact::text("City", format!("complete on {name}"))];
    }
    let needed = game.city_cost;
    let progress = Token::ALL.iter().filter(|&&token| needed.get(token) > 0).map(|&token| {
        Chip::piece(format!("of {} {}", needed.get(token), token.name()), token_look(token))
            .times(state.site.get(token))
            .coded(format!("of {}", needed.get(token)))
            .drawn(token_icon(token))
    });
    vec![Fact::text("City", format!("site on {name}")), Fact::new("Site has", progress)]
}

fn negotiation_facts(game: &CommonRiver, state: &State) -> Vec<Fact> {
    let mut facts = Vec::new();
    match state.phase {
        Phase::Offer | Phase::Give | Phase::Get | Phase::Answer => {
            let window = match state.window {
                TradeWindow::Dawn => "at dawn",
                TradeWindow::Row => "in the row",
                TradeWindow::Dusk => "at dusk",
            };
            facts.push(Fact::text("Trade", window));
            if state.phase != Phase::Offer {
                let [from, to] = [CommonRiver::seat_at_cursor(state), CommonRiver::partner(state)];
                facts.push(Fact::text("Offer", format!("{} to {}", player(from), player(to))));
                facts.push(Fact::new("gives", token_chips(&state.offered_tokens)));
                facts.push(Fact::new("asks for", token_chips(&state.requested_tokens)));
            }
        }
        _ => {}
    }
    if let Some((policy, tile)) = state.proposal {
        let tile = tile.map_or_else(String::new, |tile| format!(" {}", game.tile_names.get(tile)));
        facts.push(Fact::text("Proposal", format!("{}{tile}", policy_text(policy))));
        let [yes, no] = state.votes;
        facts.push(Fact::text("Votes", format!("{yes} for, {no} against")));
    }
    facts
}

const fn policy_text(policy: PolicyKind) -> &'static str {
    match policy {
        PolicyKind::City => "build the City on",
        PolicyKind::Protect => "protect",
        PolicyKind::Subsidy => "let pollution be sold",
        PolicyKind::Unprotect => "no longer protect",
        PolicyKind::Unsubsidy => "no longer let pollution be sold",
    }
}

fn seat_area(game: &CommonRiver, state: &State, viewer: Option<Seat>, seat: Seat) -> Area {
    let is_first = state.day > 0 && state.first_player == seat;
    let first = if is_first { ", first player" } else { "" };
    let mut facts = vec![
        Fact::text("Role", role_text(game, state, viewer, seat)),
        Fact::new("Tokens", stock_chips(state, seat)),
        Fact::text(
            "Camp",
            state.camp(seat).tile().map_or("none", |tile| game.tile_names.get(tile)),
        ),
    ];
    let built = |kind| state.structure_count(seat, kind);
    let pieces = [
        ("boats", Structure::Boat),
        ("excavators", Structure::Excavator),
        ("mills", Structure::Mill),
        ("nets", Structure::Net),
        ("farms", Structure::Farm),
    ];
    let look = Look::of_seat(seat.index());
    let left = |name: &str, icon, number| Chip::piece(name, look).times(number).drawn(icon);
    let chips = pieces.map(|(name, kind)| {
        let number = game.pieces[kind as usize].saturating_sub(built(kind));
        left(name, map::structure_icon(kind), number)
    });
    let sticks: u32 = Structure::ALL.into_iter().filter(|kind| kind.is_stick()).map(built).sum();
    let sticks = game.data.pieces.count(Structure::Levee).saturating_sub(sticks);
    let sticks = left("canals, levees and bridges", Icon::Bridge, sticks);
    facts.push(Fact::new("Left to build", chips.into_iter().chain([sticks])));
    let proposals = state.proposals_made[seat.index()];
    if proposals > 0 {
        facts.push(Fact::text("Proposals today", proposals));
    }
    Area {
        title: format!("{}{first}", capitalize(&player(seat))),
        seat: Some(seat.index()),
        is_active: game.turn(state) == Turn::Seat(seat),
        facts,
        grids: Vec::new(),
        min_height: SEAT_HEIGHT,
    }
}

/// Returns the role of a seat with its objectives, if `viewer` knows it.
fn role_text(game: &CommonRiver, state: &State, viewer: Option<Seat>, seat: Seat) -> String {
    let objectives = |set: u8| {
        let names = ones(set.into()).map(|index| Objective::ALL[index as usize].name());
        names.collect::<Vec<_>>().join(", ")
    };
    match state.role(seat) {
        Some(_) if viewer.is_some_and(|viewer| viewer != seat) => "hidden".to_owned(),
        Some(role) => {
            format!("{} ({})", game.data.role_label(role), objectives(game.roles[role]))
        }
        None => match game.objectives(state, seat) {
            0 => "none".to_owned(),
            set => format!("none ({})", objectives(set)),
        },
    }
}

/// Returns tokens in words.
fn tokens_text(tokens: &Tokens) -> String {
    let words: Vec<_> = token_chips(tokens).iter().map(Chip::label).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(" and ") }
}

/// The look of weather cards.
const WEATHER: Look = Look::new(Hue::Sky, Pattern::Plain);

fn token_chips(tokens: &Tokens) -> Vec<Chip> {
    let held = Token::ALL.into_iter().filter(|&token| tokens.get(token) > 0);
    held.map(|token| {
        let count = tokens.get(token);
        let name = if token == Token::Tree && count > 1 { "trees" } else { token.name() };
        Chip { name: name.to_owned(), ..token_chip(token) }.times(count)
    })
    .collect()
}

/// Returns the tokens that a seat holds.
fn stock_chips(state: &State, seat: Seat) -> Vec<Chip> {
    let tokens = state.stock(seat);
    let held = Token::ALL.into_iter().filter(|&token| tokens.get(token) > 0);
    let chips = token_chips(tokens).into_iter().zip(held);
    chips.map(|(chip, token)| chip.with_id(cells::token_id(seat, token))).collect()
}

fn token_chip(token: Token) -> Chip {
    Chip::piece(token.name(), token_look(token)).drawn(token_icon(token))
}

const fn token_icon(token: Token) -> Icon {
    match token {
        Token::Fish => Icon::Fish,
        Token::Gold => Icon::Gold,
        Token::Gravel => Icon::Gravel,
        Token::Pollution => Icon::Pollution,
        Token::Tree => Icon::Tree,
    }
}

const fn token_look(token: Token) -> Look {
    match token {
        Token::Fish => Look::new(Hue::Blue, Pattern::Plain),
        Token::Gold => Look::new(Hue::Yellow, Pattern::Plain),
        Token::Gravel => Look::new(Hue::Grey, Pattern::Plain),
        Token::Pollution => Look::new(Hue::Purple, Pattern::Plain),
        Token::Tree => Look::new(Hue::Green, Pattern::Plain),
    }
}
